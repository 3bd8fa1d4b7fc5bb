/** What all rows of a file have in its variant columns, counted while they were written, in its footer. */
package shreddedvariant.parquet

import java.util.Base64

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import shreddedvariant.infer.Counts
import shreddedvariant.layout.FooterKeys

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
        try Some(columnOf(key) -> Counts.fromBytes(Base64.getDecoder.decode(text)))
        catch { case NonFatal(_) => None }
    } yield entry
    entries.toMap
  }

  private def columnOf(key: String): Seq[String] =
    CatalystSqlParser.parseMultipartIdentifier(key.substring(FooterKeys.CountsPrefix.length))
}
