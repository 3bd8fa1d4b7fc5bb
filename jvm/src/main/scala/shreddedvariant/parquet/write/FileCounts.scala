/**
 * The footer entries for later writes: counts of the file's rows, and the shapes and hot keys that its write
 * named.
 */
package shreddedvariant.parquet.write

import java.util.Base64

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{FooterKeys, Shape, ShapeParser}
import shreddedvariant.maps.{HotKeys, KeyCounts}

/** By column: shapes and hot keys that the write named, counts of variants, and counts of the keys of maps. */
final case class FileCounts(
    shapes: Map[Seq[String], Shape],
    counts: Map[Seq[String], Counts],
    hotKeys: Map[Seq[String], Seq[String]],
    keyCounts: Map[Seq[String], KeyCounts]
) {
  def isEmpty: Boolean = shapes.isEmpty && counts.isEmpty && hotKeys.isEmpty && keyCounts.isEmpty

  def of(columns: Set[Seq[String]]): FileCounts = FileCounts(
    shapes.filter(c => columns(c._1)),
    counts.filter(c => columns(c._1)),
    hotKeys.filter(c => columns(c._1)),
    keyCounts.filter(c => columns(c._1))
  )

  def isNamed(column: Seq[String]): Boolean = shapes.contains(column) || hotKeys.contains(column)

  /** The number of counted values of a column. */
  def rows(column: Seq[String]): Long =
    counts.get(column).fold(0L)(_.values) + keyCounts.get(column).fold(0L)(_.maps)

  /** Adds the entries of a later file: counts are added, and of named shapes and hot keys the first is kept. */
  def and(later: FileCounts): FileCounts = {
    val newCounts = later.counts.filterNot { case (path, laterCounts) =>
      counts.get(path).map(_.merge(laterCounts)).isDefined
    }
    val newKeyCounts = later.keyCounts.filterNot { case (path, laterCounts) =>
      keyCounts.get(path).map(_.merge(laterCounts)).isDefined
    }
    FileCounts(
      later.shapes ++ shapes,
      counts ++ newCounts,
      later.hotKeys ++ hotKeys,
      keyCounts ++ newKeyCounts
    )
  }
}

object FileCounts {
  import FooterKeys._

  val nothing: FileCounts = FileCounts(Map.empty, Map.empty, Map.empty, Map.empty)

  /** The footer entries, and the columns whose counts are cut. Equal rows give equal entries, in any order. */
  def entries(counts: ColumnCounts): (Map[String, String], Set[Seq[String]]) = {
    val variants = counts.counts.map { case (column, columnCounts) =>
      column -> columnCounts.within(MaxBytes)
    }
    val maps = counts.maps.map(map => map.path -> map.nearest(MaxBytes))
    val texts = variants.map { case (column, columnCounts) =>
      FooterKeys.of(CountsPrefix, column) -> text(columnCounts.toBytes)
    } ++
      maps.map { case (column, keyCounts) =>
        FooterKeys.of(KeyCountsPrefix, column) -> text(keyCounts.toBytes)
      }
    (texts, variants.filter(_._2.isCut).keySet ++ maps.filter(_._2.isCut).map(_._1))
  }

  /** In base64, this size has [[FooterKeys.MaxCountsBytes]] characters. */
  private val MaxBytes = MaxCountsBytes / 4 * 3

  private def text(bytes: Array[Byte]) = Base64.getEncoder.encodeToString(bytes)

  def ofNamed(job: WriteJob): Map[String, String] = {
    val shapes = job.named.toSeq.flatMap(c => job.shapes.get(c).map(of(ShapePrefix, c) -> _.ddl))
    val keys =
      job.namedMaps.toSeq.flatMap(c => job.maps.keys.get(c).map(of(HotKeysPrefix, c) -> HotKeys.text(_)))
    (shapes ++ keys).toMap
  }

  /** Reads the entries of a file. Any tool can write a footer, so entries that cannot be parsed are ignored. */
  def read(footer: FileMetaData): FileCounts = FileCounts(
    entries(footer, ShapePrefix)(ShapeParser.parse),
    entries(footer, CountsPrefix)(decoded(_)(Counts.fromBytes)),
    entries(footer, HotKeysPrefix)(HotKeys.parse),
    entries(footer, KeyCountsPrefix)(decoded(_)(KeyCounts.fromBytes))
  )

  private def decoded[A](text: String)(read: Array[Byte] => A): A = {
    require(text.length <= MaxCountsBytes)
    read(Base64.getDecoder.decode(text))
  }

  private def entries[A](footer: FileMetaData, prefix: String)(read: String => A): Map[Seq[String], A] = {
    val parsed = for {
      (key, text) <- footer.getKeyValueMetaData.asScala if key.startsWith(prefix)
      entry <-
        try Some(CatalystSqlParser.parseMultipartIdentifier(key.substring(prefix.length)) -> read(text))
        catch { case NonFatal(_) => None }
    } yield entry
    parsed.toMap
  }
}
