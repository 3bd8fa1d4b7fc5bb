/** Binds maps of one file: whole maps, and single keys of maps. */
package shreddedvariant.parquet.bind

import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import shreddedvariant.Errors
import shreddedvariant.layout.{PathColumn, PathResult}
import shreddedvariant.maps.{HotEntries, MergedKeys, MergedMap, PickedVector}
import shreddedvariant.parquet.file.{FileMaps, RowGroup}
import shreddedvariant.parquet.vector.{
  BatchPosition,
  ConstantVector,
  FixedColumn,
  HasKeyVector,
  LeafColumnReader,
  MapKeysVector,
  MapLookup,
  MapNulls,
  MapSizeVector,
  MapVector,
  MergedMapVector,
  PresenceColumn,
  PresenceVector,
  ReadColumn,
  Rebasing,
  StrictMapVector,
  StrictMaps
}
import shreddedvariant.shred.Lists

/**
 * Creates the vector of a column of the file. The column is not read in row groups that do not match `need`.
 */
trait FileColumnBinder {
  def column(path: Seq[String], dataType: DataType, name: String, need: RowGroup => Boolean): ColumnVector

  /** The values of a map's entries. */
  def values(map: Seq[String], dataType: DataType, name: String): ColumnVector
}

final class MapBinder(
    file: MessageType,
    position: BatchPosition,
    maps: FileMaps,
    leaves: FileLeaves,
    columns: FileColumnBinder,
    job: ReadJob
) {

  /** The map at `path`, whose residual has `keys` and `values`. */
  def whole(
      map: MapType,
      path: Seq[String],
      lists: Lists,
      keys: ColumnVector,
      values: ColumnVector,
      name: String
  ): ColumnVector = {
    val hot = maps.hotKeys(path)
    if (hot.isEmpty) new MapVector(map, lists, leaves.texts(keys), leaves.texts(values))
    else {
      val names = hot.map(k => UTF8String.fromString(k._1)).toArray
      val sidecars = hot.map { case (key, column) =>
        leaves.texts(sidecar(column, map.valueType, s"$name['$key']"))
      }.toArray
      val nulls = new MapNulls(lists, new HotEntries(sidecars), name, position)
      val merged = new MergedMap(leaves.texts(keys), leaves.texts(values), names, sidecars)
      val vector = new MergedMapVector(map, lists, nulls, merged)
      if (job.isStrict)
        new StrictMapVector(vector, new StrictMaps(lists, keys, values, names, name, position))
      else vector
    }
  }

  /** The part of a map that `column.wanted` requests, with the type `requested`. */
  def path(column: PathColumn, requested: DataType): ReadColumn =
    FilePath.group(file, column.column, job) match {
      case None => new FixedColumn(ConstantVector(requested, None, job.batchSize))
      case Some(map) =>
        column.wanted match {
          case PathResult.Entry(key, _) => new FixedColumn(valueOf(map, key, requested, column.path))
          case PathResult.HasEntry(key) => new FixedColumn(hasKey(map, key, column.columnName))
          case PathResult.MapPresence => presence(map)
          case PathResult.MapSize =>
            keysOf(map, column.columnName)
            val lists = leaves.lists(map)
            new FixedColumn(new MapSizeVector(lists, nulls(map, lists, column.columnName)))
          case PathResult.MapKeys => new FixedColumn(allKeys(map, requested, column.columnName))
          case other => throw new IllegalStateException(s"$other is not for maps")
        }
    }

  /**
   * Law: the residual has only null values for a hot key, so the sidecar alone gives the value, and the
   * residual is not read. Any other key is only in the residual.
   */
  private def valueOf(map: Seq[String], key: String, requested: DataType, name: String): ColumnVector =
    hot(map, key).fold {
      val entry = lookup(map, key, name)
      new PickedVector(requested, columns.values(map, requested, name), entry): ColumnVector
    }(sidecar(_, requested, name))

  private def hasKey(map: Seq[String], key: String, name: String): ColumnVector = {
    val sidecarPresence = hot(map, key).map(leaves.presence)
    new HasKeyVector(sidecarPresence, lookup(map, key, name))
  }

  /**
   * A map with a value for a hot key is not NULL. So no levels are read in row groups where a sidecar has no
   * nulls.
   */
  private def presence(map: Seq[String]): ReadColumn = {
    val sidecars = maps.hotKeys(map).map(_._2)
    val present = leaves.presenceUnless(map, group => sidecars.exists(group.hasNoNulls))
    new PresenceColumn(present, job.batchSize)
  }

  private def allKeys(map: Seq[String], requested: DataType, name: String): ColumnVector = {
    val residual = keysOf(map, name).vector
    val lists = leaves.lists(map)
    val names = maps.hotKeys(map).map(k => UTF8String.fromString(k._1)).toArray
    new MapKeysVector(requested, lists, nulls(map, lists, name), new MergedKeys(residual, names))
  }

  /** Finds the NULL maps and counts the hot keys of the others. Of sidecars, only their presence is needed. */
  private def nulls(map: Seq[String], lists: Lists, name: String): MapNulls = {
    val present: Array[ColumnVector] = maps.hotKeys(map).map { case (_, column) =>
      new PresenceVector(leaves.presenceUnless(column, _.hasNoNulls(column), _.holdsNothing(column)))
    }.toArray
    new MapNulls(lists, new HotEntries(present), name, position)
  }

  private def hot(map: Seq[String], key: String): Option[Seq[String]] =
    maps.hotKeys(map).collectFirst { case (`key`, column) => column }

  /** The column is not read in row groups where the statistics prove that all values are null. */
  private def sidecar(column: Seq[String], dataType: DataType, name: String): ColumnVector =
    columns.column(column, dataType, name, group => !group.holdsNothing(column))

  private def lookup(map: Seq[String], key: String, name: String): MapLookup = {
    val keys = keysOf(map, name)
    leaves.register(new MapLookup(keys.vector, leaves.lists(map), UTF8String.fromString(key)))
  }

  /** The leaf of the residual's keys. Lists that are created later use its levels. */
  private def keysOf(map: Seq[String], name: String): LeafColumnReader =
    leaves.leaf(MapKeyLeaf(file, map, name), StringType, Rebasing.none, _ => true)
}

object MapKeyLeaf {

  /** The leaf of a map's keys. Maps whose keys are not binary are refused. */
  def apply(file: MessageType, map: Seq[String], name: String): Seq[String] = {
    def refuse(column: Any) =
      throw Errors.columnType(
        name,
        column.toString.replaceAll("\\s+", " "),
        MapType(StringType, StringType).sql
      )
    file.getType(map: _*) match {
      case group: GroupType if group.getFieldCount == 1 =>
        group.getType(0) match {
          case entries: GroupType if entries.getFieldCount == 2 =>
            entries.getType(0) match {
              case key: PrimitiveType if key.getPrimitiveTypeName == BINARY =>
                map :+ entries.getName :+ key.getName
              case other => refuse(other)
            }
          case other => refuse(other)
        }
      case other => refuse(other)
    }
  }
}
