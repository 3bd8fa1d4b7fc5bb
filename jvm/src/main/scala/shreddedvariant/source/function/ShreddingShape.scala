/** The aggregate `shredding_shape(v[, limits])`: the inferred shape of a variant, or the hot keys of a map. */
package shreddedvariant.source.function

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistryBase, TypeCheckResult}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{
  ExpectsInputTypes,
  Expression,
  ExpressionDescription,
  ExpressionInfo
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{ImperativeAggregate, TypedImperativeAggregate}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.{Errors, SparkBridge}

/**
 * `name` is the SQL of the column, for messages: tasks have only the ordinal of the column.
 *
 * The result for a variant is a value of the option `shredding.shape.<column>`; without rows, or if no path is
 * worth shredding, the result is VARIANT. The result for a map is a value of
 * `parquet.map.shredding.<column>.keys`; without hot keys it is `[]`. Neither the partitions nor the order of
 * the rows change the result, see [[ShapeCounts]].
 */
@ExpressionDescription(
  usage =
    "_FUNC_(v[, limits]) - Returns the shape in which the values of a variant column are shredded, as DDL; of a map " +
      "column, the keys that get columns of their own.",
  arguments = """
    Arguments:
      * v - A variant, or a map whose keys are strings.
      * limits - A constant map of the options of inference: policy, minFieldFrequency, maxFields, maxDepth,
          maxIntermediateFields, include, exclude; for maps keys, maxKeys, minFrequency. With report = true the result
          is JSON: the shape, and whether paths or keys were left out because there are too many (isCut).
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(parse_json(j)) FROM VALUES ('{"a": 1}'), ('{"a": 2.5}') AS t(j);
       STRUCT<a DECIMAL(2,1)>
      > SELECT _FUNC_(m) FROM VALUES (map('a', '1', 'b', '22')), (map('b', '3')) AS t(m);
       b,a
  """,
  group = "variant_funcs"
)
final case class ShreddingShape(
    column: Expression,
    limits: Option[Expression],
    name: String,
    override val mutableAggBufferOffset: Int,
    override val inputAggBufferOffset: Int
) extends TypedImperativeAggregate[ShapeCounts]
    with ExpectsInputTypes
    with Logging {
  def this(column: Expression) = this(column, None, column.sql, 0, 0)
  def this(column: Expression, limits: Expression) = this(column, Some(limits), column.sql, 0, 0)

  @transient private lazy val counted =
    CountedColumn(column.dataType, name, limits.fold(Map.empty[String, String])(ShreddingShape.limits))

  override def prettyName: String = "shredding_shape"
  override protected def stringArgs: Iterator[Any] = children.iterator
  override def children: Seq[Expression] = column +: limits.toSeq
  override def inputTypes: Seq[DataType] =
    if (column.resolved) Seq(column.dataType, MapType(StringType, StringType)) else Nil
  override def dataType: DataType = StringType
  override def nullable: Boolean = false

  /** Also refuses wrong limits, before the query runs. */
  override def checkInputDataTypes(): TypeCheckResult = {
    val result = super.checkInputDataTypes()
    column.dataType match {
      case _ if result.isFailure => result
      case VariantType | MapType(_: StringType, _, _) => counted.check(); result
      case other => TypeCheckResult.TypeCheckFailure(
          s"$prettyName takes a variant or a map whose keys are strings, and was given ${other.sql}"
        )
    }
  }

  override def createAggregationBuffer(): ShapeCounts = counted.empty

  override def update(counts: ShapeCounts, row: InternalRow): ShapeCounts = {
    val value = column.eval(row)
    if (value == null) counts.addNull() else counts.add(value)
    counts
  }

  override def merge(counts: ShapeCounts, other: ShapeCounts): ShapeCounts = {
    counts.merge(other)
    counts
  }

  override def eval(counts: ShapeCounts): Any = {
    val (shape, isCut) = counted.shape(counts)
    if (isCut) logWarning(Errors.pathsLeftOut(name))
    UTF8String.fromString(shape)
  }

  override def serialize(counts: ShapeCounts): Array[Byte] = counts.toBytes
  override def deserialize(bytes: Array[Byte]): ShapeCounts = counted.read(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Expression =
    copy(column = newChildren.head, limits = newChildren.lift(1))
}

object ShreddingShape {
  val name = "shredding_shape"
  val (info: ExpressionInfo, builder: FunctionBuilder) =
    FunctionRegistryBase.build[ShreddingShape](name, since = None)

  /** For sessions that get the jar after their start; each session has its own function registry. */
  def register(session: SparkSession): Unit = {
    val registry = session.sessionState.functionRegistry
    val identifier = SparkBridge.builtinFunction(name)
    if (!registry.functionExists(identifier)) registry.registerFunction(identifier, info, builder)
  }

  private def limits(map: Expression): Map[String, String] = {
    if (!map.foldable) throw Errors.limitsArgument("not constant")
    val entries = map.eval().asInstanceOf[MapData]
    if (entries == null) throw Errors.limitsArgument("NULL")
    val (keys, values) = (entries.keyArray(), entries.valueArray())
    (0 until entries.numElements()).map { i =>
      val key = keys.getUTF8String(i).toString
      if (values.isNullAt(i)) throw Errors.limitsArgument(s"NULL for '$key'")
      key -> values.getUTF8String(i).toString
    }.toMap
  }
}
