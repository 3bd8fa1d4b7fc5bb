/**
 * Decodes every value of every leaf and holds to them what the footer and the page indexes say: how many there are, how
 * many are null, and what none is less or greater than.
 */
package shreddedvariant.parquet.verify

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.impl.ColumnReaderImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.internal.column.columnindex.{ColumnIndex, OffsetIndex}
import org.apache.parquet.io.api.PrimitiveConverter
import shreddedvariant.Errors
import shreddedvariant.layout.Shape
import shreddedvariant.parquet.file.{FooterStatistics, StatisticsReader}
import shreddedvariant.parquet.read.FileSplit
import shreddedvariant.stats.{Finding, LeafStatistics}

/** `leaves` are facts of the whole file as its values have them, without leaves that cannot be decoded. */
final case class ProvenLeaves(leaves: Map[Seq[String], LeafStatistics], findings: Seq[Finding])

final class LeafVerifier(reader: ParquetFileReader) {
  private val writer: ParsedVersion = FileSplit.writerVersion(reader.getFileMetaData)
  private val schema = reader.getFileMetaData.getSchema
  private val told = new StatisticsReader(writer)

  def check(): ProvenLeaves = {
    val groups = reader.getRowGroups.asScala.toSeq.zipWithIndex.map { case (block, i) => check(block, i) }
    val known = schema.getColumns.asScala.map(_.getPath.toSeq).flatMap { leaf =>
      val facts = groups.map(_.leaves.get(leaf))
      Option.when(facts.forall(_.isDefined))(leaf -> FooterStatistics.merged(facts.flatten))
    }
    ProvenLeaves(known.toMap, groups.flatMap(_.findings))
  }

  private def check(block: BlockMetaData, group: Int): ProvenLeaves = {
    val chunks = block.getColumns.asScala.map(chunk => chunk.getPath.toArray.toSeq -> chunk).toMap
    val found = schema.getColumns.asScala.toSeq.flatMap { leaf =>
      chunks.get(leaf.getPath.toSeq).map { chunk =>
        val proof = new ChunkProof(leaf, chunk, group, block.getRowCount)
        try {
          // One leaf after the other: a row group may be large, and one damaged leaf says nothing of others.
          reader.setRequestedSchema(java.util.List.of(leaf))
          proof.check(reader.readRowGroup(group))
        } catch {
          case NonFatal(e) =>
            ProvenLeaves(Map.empty, Seq(proof.finding(s"it cannot be decoded (${Errors.reason(e)})")))
        }
      }
    }
    ProvenLeaves(found.flatMap(_.leaves).toMap, found.flatMap(_.findings))
  }

  /** One leaf in one row group. */
  private final class ChunkProof(leaf: ColumnDescriptor, chunk: ColumnChunkMetaData, group: Int, rows: Long) {
    private val path = leaf.getPath.toSeq
    private val column = leaf.getPrimitiveType
    private val order = column.comparator[AnyRef]

    def finding(wrong: String): Finding =
      Finding(path.map(Shape.quoted).mkString("."), "", s"in row group $group, $wrong")

    def check(store: PageReadStore): ProvenLeaves = {
      val places = Option(reader.readOffsetIndex(chunk))
      val starts = places.fold(Array(0L))(p => Array.tabulate(p.getPageCount)(p.getFirstRowIndex(_)))
      val values = new LeafValues(leaf, starts)
      val pages = store.getPageReader(leaf)
      values.read(
        new ColumnReaderImpl(leaf, pages, new PrimitiveConverter {}, writer),
        pages.getTotalValueCount
      )
      val all = values.all
      val decode = StatisticsReader.decoder(column)
      val facts = LeafStatistics(all.entries, Some(all.nulls), all.bounds(decode), hasNoNaN = !all.hasNaN)
      val index =
        places.flatMap(p => Option(reader.readColumnIndex(chunk)).map(i => ofPages(i, p, values.pages)))
      ProvenLeaves(Map(path -> facts), ofChunk(all) ++ levels(values) ++ index.toSeq.flatten)
    }

    private def ofChunk(found: LeafTally): Seq[Finding] = {
      val statistics: Option[Statistics[_]] = Option(chunk.getStatistics)
      Seq(
        differ("values", chunk.getValueCount, found.entries),
        differ("rows", rows, found.rows),
        statistics.filter(_.isNumNullsSet).flatMap(s => differ("nulls", s.getNumNulls, found.nulls))
      ).flatten.map(finding) ++ statistics.filter(_.hasNonNullValue).toSeq.flatMap { s =>
        bounds(
          "its footer",
          s.genericGetMin.asInstanceOf[AnyRef],
          s.genericGetMax.asInstanceOf[AnyRef],
          found
        ) ++
          Option.when(found.hasNaN && told.ofChunk(chunk).hasNoNaN)(finding(
            "its footer has bounds, which its writer leaves out where a value is NaN, and one is"
          ))
      }
    }

    private def differ(what: String, told: Long, found: Long) =
      Option.when(told != found)(s"its footer counts $told $what and there are $found")

    private def bounds(who: String, least: AnyRef, greatest: AnyRef, found: LeafTally): Seq[Finding] =
      if (!found.hasBounds) Nil
      else
        Seq(
          Option.when(order.compare(least, found.least) > 0)(
            s"$who says that no value is less than ${text(least)}, and ${text(found.least)} is"
          ),
          Option.when(order.compare(greatest, found.greatest) < 0)(
            s"$who says that no value is greater than ${text(greatest)}, and ${text(found.greatest)} is"
          )
        ).flatten.map(finding)

    private def text(value: AnyRef): String = {
      val single: Statistics[_] = Statistics.createStats(column)
      LeafTally.put(single, value)
      val shown = single.minAsString
      if (shown.length <= 40) s"'$shown'" else s"'${shown.take(39)}…'"
    }

    private def levels(found: LeafValues): Seq[Finding] = told.ofChunk(chunk).levels.toSeq.flatMap { told =>
      Option.when(told != found.levels.toIndexedSeq)(finding("its footer's histogram of levels is not true"))
    }

    private def ofPages(index: ColumnIndex, places: OffsetIndex, found: IndexedSeq[LeafTally]): Seq[Finding] =
      if (index.getNullPages.size != found.size || found.size != places.getPageCount)
        Seq(finding(s"its page indexes are of ${index.getNullPages.size} and ${places.getPageCount} pages"))
      else
        found.indices.flatMap { page =>
          val (tally, who) = (found(page), s"the index of its page $page")
          val nulls = Option(index.getNullCounts).map(_.get(page).longValue).filter(_ != tally.nulls)
          if (index.getNullPages.get(page) && tally.nulls < tally.entries)
            Seq(finding(s"$who says that all is null, and ${tally.entries - tally.nulls} values are not"))
          else {
            val ends =
              if (index.getNullPages.get(page)) Nil
              else {
                def bound(of: java.util.List[java.nio.ByteBuffer]) =
                  StatisticsReader.plain(column, of.get(page)).asInstanceOf[AnyRef]
                bounds(who, bound(index.getMinValues), bound(index.getMaxValues), tally)
              }
            nulls.map(n => finding(s"$who counts $n nulls and there are ${tally.nulls}")).toSeq ++ ends
          }
        }
  }
}
