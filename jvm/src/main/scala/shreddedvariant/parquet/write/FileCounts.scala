/** What a footer says for the writes to come: what all rows of the file have in its columns, and what its write named. */
package shreddedvariant.parquet.write

import java.util.Base64

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{FooterKeys, Shape, ShapeParser}
import shreddedvariant.maps.{HotKeys, KeyCounts}

/** By column: shapes and hot keys that the write named, counts of variants, counts of the keys of maps. */
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

  /** The values of a column that are counted. */
  def rows(column: Seq[String]): Long =
    counts.get(column).fold(0L)(_.values) + keyCounts.get(column).fold(0L)(_.maps)

  /** The first that is named holds; counts add up. */
  def and(later: FileCounts): FileCounts = {
    val more = later.counts.filterNot { case (path, added) =>
      counts.get(path).map(_.merge(added)).isDefined
    }
    val moreKeys = later.keyCounts.filterNot { case (path, added) =>
      keyCounts.get(path).map(_.merge(added)).isDefined
    }
    FileCounts(later.shapes ++ shapes, counts ++ more, later.hotKeys ++ hotKeys, keyCounts ++ moreKeys)
  }
}

object FileCounts {
  import FooterKeys._

  val nothing: FileCounts = FileCounts(Map.empty, Map.empty, Map.empty, Map.empty)

  /** The entries of the footer, and the columns of which they do not know all. Equal rows give the same, in any order. */
  def entries(counts: ColumnCounts): (Map[String, String], Set[Seq[String]]) = {
    val variants = counts.counts.map { case (column, of) => column -> of.within(MostBytes) }
    val maps = counts.maps.map(map => map.path -> map.nearest(MostBytes))
    val texts = variants.map { case (column, of) =>
      FooterKeys.of(CountsPrefix, column) -> text(of.toBytes)
    } ++
      maps.map { case (column, of) => FooterKeys.of(KeyCountsPrefix, column) -> text(of.toBytes) }
    (texts, variants.filter(_._2.isCut).keySet ++ maps.filter(_._2.isCut).map(_._1))
  }

  /** In base64 they have [[FooterKeys.MostCounts]] characters. */
  private val MostBytes = MostCounts / 4 * 3

  private def text(bytes: Array[Byte]) = Base64.getEncoder.encodeToString(bytes)

  def ofNamed(job: WriteJob): Map[String, String] = {
    val shapes = job.named.toSeq.flatMap(c => job.shapes.get(c).map(of(ShapePrefix, c) -> _.ddl))
    val keys =
      job.namedMaps.toSeq.flatMap(c => job.maps.keys.get(c).map(of(HotKeysPrefix, c) -> HotKeys.text(_)))
    (shapes ++ keys).toMap
  }

  /** What a file says; anybody can write a footer, and what cannot be read there says nothing. */
  def read(footer: FileMetaData): FileCounts = FileCounts(
    entries(footer, ShapePrefix)(ShapeParser.parse),
    entries(footer, CountsPrefix)(counted(_)(Counts.fromBytes)),
    entries(footer, HotKeysPrefix)(HotKeys.parse),
    entries(footer, KeyCountsPrefix)(counted(_)(KeyCounts.fromBytes))
  )

  private def counted[A](text: String)(read: Array[Byte] => A): A = {
    require(text.length <= MostCounts)
    read(Base64.getDecoder.decode(text))
  }

  private def entries[A](footer: FileMetaData, prefix: String)(read: String => A): Map[Seq[String], A] = {
    val found = for {
      (key, text) <- footer.getKeyValueMetaData.asScala if key.startsWith(prefix)
      entry <-
        try Some(CatalystSqlParser.parseMultipartIdentifier(key.substring(prefix.length)) -> read(text))
        catch { case NonFatal(_) => None }
    } yield entry
    found.toMap
  }
}
