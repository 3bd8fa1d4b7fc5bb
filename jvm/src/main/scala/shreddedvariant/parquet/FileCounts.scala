/** What a footer says of shapes: what all rows of the file have in its variant columns, and which shapes its write named. */
package shreddedvariant.parquet

import java.util.Base64

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.infer.Counts
import shreddedvariant.layout.{FooterKeys, Shape, ShapeParser}

object FileCounts {

  /** The entries of the footer. Equal rows have equal entries, in any order of rows. */
  def entries(counts: Map[Seq[String], Counts]): Map[String, String] = counts.map { case (column, of) =>
    val text = Base64.getEncoder.encodeToString(of.toBytes)
    FooterKeys.counts(column) -> (if (text.length <= FooterKeys.MostCounts) text else FooterKeys.NoCounts)
  }

  /** The counts of a file by column; none where the file has none, or none that can be read. */
  def read(footer: FileMetaData): Map[Seq[String], Counts] = {
    val entries = for {
      (key, text) <- footer.getKeyValueMetaData.asScala
      if key.startsWith(FooterKeys.CountsPrefix) && text != FooterKeys.NoCounts &&
        text.length <= FooterKeys.MostCounts
      // Anybody can write a footer: what is no counts says nothing.
      entry <-
        try Some(columnOf(key, FooterKeys.CountsPrefix) -> Counts.fromBytes(Base64.getDecoder.decode(text)))
        catch { case NonFatal(_) => None }
    } yield entry
    entries.toMap
  }

  def ofNamed(job: WriteJob): Map[String, String] =
    job.named.toSeq.flatMap(column => job.shapes.get(column).map(FooterKeys.shape(column) -> _.ddl)).toMap

  /** The shapes that the write of a file named. */
  def named(footer: FileMetaData): Map[Seq[String], Shape] = {
    val entries = for {
      (key, text) <- footer.getKeyValueMetaData.asScala if key.startsWith(FooterKeys.ShapePrefix)
      entry <-
        try Some(columnOf(key, FooterKeys.ShapePrefix) -> ShapeParser.parse(text))
        catch { case NonFatal(_) => None }
    } yield entry
    entries.toMap
  }

  private def columnOf(key: String, prefix: String): Seq[String] =
    CatalystSqlParser.parseMultipartIdentifier(key.substring(prefix.length))
}
