/**
 * The same documents with the same shapes give equal results in both layouts: values, paths, failed casts and
 * skipped row groups. A draft file of an unknown writer gives equal values and skips no more row groups.
 */
package shreddedvariant.parquet.write

import java.nio.file.{Files, Path}

import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAllNoShrink
import shreddedvariant.{Shapes, Value, VariantFile}
import shreddedvariant.layout._
import shreddedvariant.parquet.read.ReadCount
import shreddedvariant.source.scan.{ScanColumns, ScanPredicates}
import shreddedvariant.stats.Predicate

/**
 * A table as three files: in the current layout, in our draft layout, and in the draft layout of an unknown
 * writer.
 */
private final case class Forms(today: Path, draft: Path, foreign: Path)

class BothLayoutsSuite extends shreddedvariant.LawSuite {
  private val zone = Some("UTC")
  private val targets: Seq[DataType] = Seq(
    StringType,
    LongType,
    IntegerType,
    DoubleType,
    DecimalType(12, 2),
    BooleanType,
    DateType,
    VariantType,
    ArrayType(VariantType)
  )

  private def forms[A](rows: Seq[Value], shape: Shape)(body: Forms => A): A = {
    val stored = rows.map(v => if (v == null) null else Value.encode(v))
    VariantFile.withFile { today =>
      VariantFile.withFile { draft =>
        VariantFile.withFile { foreign =>
          VariantFile.write(today, stored, shape, rowsOfGroup = 5)
          VariantFile.write(draft, stored, shape, layout = WriteLayout.Draft, rowsOfGroup = 5)
          Files.write(foreign, withoutKey(Files.readAllBytes(draft)))
          body(Forms(today, draft, foreign))
        }
      }
    }
  }

  /** Replaces our key in the footer by another key of the same length. */
  private def withoutKey(file: Array[Byte]): Array[Byte] = {
    val text = new String(file, "ISO-8859-1")
    assert(text.contains(DraftLayout.FooterKey))
    text.replace(DraftLayout.FooterKey, "x" * DraftLayout.FooterKey.length).getBytes("ISO-8859-1")
  }

  private def steps(shape: Shape): Gen[Seq[PathStep]] = {
    val key = Gen.oneOf(Value.keys).map(PathStep.Key(_): PathStep)
    val any: Gen[Seq[PathStep]] =
      Gen.choose(0, 2).flatMap(Gen.listOfN(
        _,
        Gen.frequency(3 -> key, 1 -> Gen.choose(0, 2).map(PathStep.Index(_)))
      ))
    val along: Gen[Seq[PathStep]] = shape match {
      case Shape.Object(fields) =>
        Gen.oneOf(fields).flatMap { case (k, s) => steps(s).map(PathStep.Key(k) +: _) }
      case Shape.Array(element) => Gen.zip(Gen.choose(0, 2), steps(element)).map { case (i, s) =>
          PathStep.Index(i) +: s
        }
      case _ => Gen.const(Nil)
    }
    Gen.frequency(5 -> along, 1 -> any)
  }

  private def wanted(target: DataType): Gen[PathResult] = Gen.frequency(
    4 -> Gen.const(PathResult.Value(target, zone)),
    1 -> Gen.const(PathResult.Failure(target, zone)),
    1 -> Gen.const(PathResult.Raising(target, zone)),
    1 -> Gen.const(PathResult.Json("UTC")),
    1 -> Gen.const(PathResult.Presence)
  )

  private def path(shape: Shape): Gen[PathColumn] = for {
    steps <- steps(shape)
    target <- Gen.oneOf(targets)
    wanted <- wanted(target)
  } yield PathColumn(Seq("v"), steps, wanted)

  private val rows: Gen[Seq[Value]] =
    Gen.choose(1, 14).flatMap(Gen.listOfN(_, Gen.frequency(9 -> Value.values(3), 1 -> Gen.const(null))))

  private val tables: Gen[(Seq[Value], Shape)] = for {
    rows <- rows
    first = rows.find(_ != null)
    shape <- first.fold(Shapes.shapes(3))(v => Gen.frequency(3 -> Shapes.near(v), 1 -> Shapes.shapes(3)))
    // Adds copies of the first row, so that leaves have values and bounds.
    alike <- Gen.someOf(rows ++ Seq.fill(6)(first.orNull))
  } yield ((alike ++ rows).toSeq, shape)

  /** Makes values comparable: variants by their logical values, values of Spark's types unchanged. */
  private def meaning(value: Any): Any = value match {
    case v: VariantVal => Value.logical(Value.decode(v.getMetadata, v.getValue))
    case array: org.apache.spark.sql.catalyst.util.ArrayData =>
      array.toObjectArray(VariantType).toSeq.map(meaning)
    case bytes: Array[Byte] => bytes.toSeq
    case number: Double => java.lang.Double.doubleToLongBits(number)
    case other => other
  }

  /** The rows or the error of reading them, and the number of skipped row groups. */
  private def read(file: Path, paths: Seq[PathColumn], predicate: Option[Predicate] = None) =
    try {
      val (rows, counts) = VariantFile.readPaths(file, paths, predicate)
      (Right(rows.map(_.map(meaning))), counts(ReadCount.RowGroupsSkipped))
    } catch { case e: Exception => (Left(e.getMessage.replaceAll("In the file '[^']*'", "")), 0L) }

  test("paths give equal values and equal errors") {
    val cases = for {
      (rows, shape) <- tables
      size <- Gen.choose(1, 4)
      paths <- Gen.listOfN(size, path(shape))
    } yield (rows, shape, paths.distinctBy(_.name))
    var (answered, failed) = (0, 0)
    val property = forAllNoShrink(cases) { case (rows, shape, paths) =>
      forms(rows, shape) { files =>
        val today = read(files.today, paths)._1
        if (today.isLeft) failed += 1 else answered += 1
        Prop.all(Seq(files.draft, files.foreign).map { file =>
          val draft = read(file, paths)._1
          Prop(draft == today) :| s"${shape.ddl}\n ${paths.map(_.name)}\n rows  $rows\n today $today\n draft $draft"
        }: _*)
      }
    }
    check(property, 200)
    assert(answered > 50 && failed > 10, s"$answered answered, $failed failed")
  }

  private def check(property: Prop, tries: Int): Unit = {
    val result = org.scalacheck.Test.check(scalaCheckTestParameters.withMinSuccessfulTests(tries), property)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result))
  }

  private def test(path: PathColumn): Gen[Expression] = {
    val column = AttributeReference(path.name, path.wanted.dataType)()
    def literal(value: Any) = Literal.create(value, column.dataType)
    val values: Gen[Any] = column.dataType match {
      case StringType =>
        Gen.oneOf("", "1", "x", "é", "y" * 65).map(org.apache.spark.unsafe.types.UTF8String.fromString)
      case LongType => Gen.choose(-3L, 3L)
      case IntegerType | DateType => Gen.choose(-3, 3)
      case DoubleType => Gen.choose(-3.0, 3.0)
      case BooleanType => Gen.oneOf(true, false)
      case _: DecimalType => Gen.choose(-3L, 3L).map(n => Decimal(BigDecimal(n), 12, 2))
      case _ => Gen.const(null)
    }
    val compared = values.flatMap(v =>
      Gen.oneOf[Expression](
        sql.EqualTo(column, literal(v)),
        sql.LessThan(column, literal(v)),
        sql.GreaterThan(column, literal(v)),
        sql.EqualNullSafe(column, literal(v))
      )
    )
    val nulls = Gen.oneOf[Expression](sql.IsNull(column), sql.IsNotNull(column))
    column.dataType match {
      case _ if path.wanted == PathResult.Presence => nulls
      case VariantType | _: ArrayType => nulls
      case _ => Gen.frequency(3 -> compared, 1 -> nulls)
    }
  }

  test(
    "both layouts skip the same row groups, and files of unknown writers skip no more row groups"
  ) {
    val cases = for {
      (rows, shape) <- tables
      path <- path(shape).map(p =>
        p.copy(wanted = p.wanted match {
          case wanted @ (_: PathResult.Value | PathResult.Presence) => wanted
          case _ => PathResult.Value(StringType, zone)
        })
      )
      test <- test(path)
    } yield (rows, shape, path, test)
    var skipped = 0L
    var foreignSkipped = 0L
    val property = forAllNoShrink(cases) { case (rows, shape, path, test) =>
      forms(rows, shape) { files =>
        val columns = new ScanColumns(Map(path.name -> path), new StructType, caseSensitive = true)
        val predicate = new ScanPredicates(columns).read(test)
        def filtered(file: Path) = read(file, Seq(path), Some(predicate))
        val (today, draft, foreign) = (filtered(files.today), filtered(files.draft), filtered(files.foreign))
        skipped += draft._2
        foreignSkipped += foreign._2
        Prop(draft == today && foreign._2 <= today._2) :|
          s"${shape.ddl}\n ${test.sql}\n rows $rows\n today $today\n draft $draft\n foreign $foreign"
      }
    }
    check(property, 500)
    assert(skipped > 100 && foreignSkipped > 0, s"$skipped, $foreignSkipped")
  }
}
