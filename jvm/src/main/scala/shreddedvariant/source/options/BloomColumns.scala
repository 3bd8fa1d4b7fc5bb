/** The options that give paths of variants and hot keys of maps bloom filters. */
package shreddedvariant.source.options

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType, VariantType}
import shreddedvariant.{Errors, OptionDocs, Options}
import shreddedvariant.layout.{PathStep, Shape}
import shreddedvariant.parquet.write.{Blooms, WriteJob}

final class BloomColumns(columns: NamedColumns) {

  /**
   * Adds the filters to a job with shapes and hot keys; refuses paths and keys without a column of their own.
   */
  def addTo(job: WriteJob, options: GivenOptions): WriteJob = {
    val named = this.named(options)
    val paths = named.collect { case (key, text, Found(path, VariantType)) =>
      val bloomPaths = PathList.parse(key, text)
      for (steps <- bloomPaths if !job.limits.contains(path)) {
        val shape = job.shapes.getOrElse(path, Shape.Untyped)
        if (!isScalar(shape, steps))
          throw Errors.bloom(key, "$" + PathStep.text(steps), "is not a scalar of the column's shape")
      }
      path -> bloomPaths
    }
    val keys = named.collect { case (key, text, Found(path, map: MapType)) =>
      val bloomKeys = MapColumns.keys(key, text)
      val isInferred = job.mapLimits.contains(path)
      if (!isInferred && !job.maps.keys.contains(path))
        throw Errors.mapNotListed(key, NamedColumns.text(path), Options.MapColumns)
      if (isComplex(map.valueType))
        throw Errors.bloom(
          key,
          bloomKeys.head,
          s"has values of the type ${map.valueType.sql}, which filters do not support"
        )
      for (name <- bloomKeys if !isInferred && !job.maps.keys(path).contains(name))
        throw Errors.bloom(key, name, "is not a hot key of the map")
      path -> bloomKeys
    }
    job.copy(blooms = Blooms(paths.toMap, keys.toMap))
  }

  /** The options with the columns that they name; session defaults that do not fit the schema are ignored. */
  private def named(options: GivenOptions): Seq[(String, String, Found)] = for {
    (key, text) <- options.all.toSeq.sortBy(_._1)
    column <- OptionDocs.Bloom.column(key)
    found <- columns.find(key, column) match {
      case found @ Found(_, VariantType | MapType(_: StringType, _, _)) => Some(found)
      case _ if Options.get(options.own, key).isEmpty => None
      case Found(path, other) => throw Errors.bloomColumn(key, path.mkString("."), other.sql, names)
      case InCollection => throw Errors.bloomColumn(key, column, "inside an array or a map", names)
      case Absent =>
        throw Errors.noSuchColumn(key, column, Options.nearest(column, names, 2), "variant and map", names)
    }
  } yield (key, text, found)

  private def isScalar(shape: Shape, steps: Seq[PathStep]): Boolean = (shape, steps) match {
    case (_: Shape.Scalar, Nil) => true
    case (Shape.Object(fields), PathStep.Key(name) +: rest) =>
      fields.exists(field => field._1 == name && isScalar(field._2, rest))
    case (Shape.Array(element), PathStep.Index(_) +: rest) => isScalar(element, rest)
    case _ => false
  }

  private def isComplex(dataType: DataType) = dataType match {
    case _: StructType | _: ArrayType | _: MapType | VariantType => true
    case _ => false
  }

  private lazy val names: Seq[String] = columns.all {
    case VariantType | MapType(_: StringType, _, _) => true
    case _ => false
  }.map(NamedColumns.text)
}
