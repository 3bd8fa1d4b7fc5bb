/**
 * Decodes every value of every leaf and checks the footer and the page indexes against the values: value
 * counts, null counts and bounds.
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
import shreddedvariant.layout.{ScalarType, Shape}
import shreddedvariant.parquet.file.{FooterStatistics, StatisticsReader}
import shreddedvariant.parquet.page.CheckedPages
import shreddedvariant.parquet.read.{CheckedDifferences, FileSplit}
import shreddedvariant.stats.{Datum, Finding, LeafStatistics}

/**
 * `leaves` are statistics of the whole file, computed from its values, without leaves that cannot be decoded.
 */
final case class ProvenLeaves(leaves: Map[Seq[String], LeafStatistics], findings: Seq[Finding])

final class LeafVerifier(reader: ParquetFileReader) {
  private val writer: ParsedVersion = FileSplit.writerVersion(reader.getFileMetaData)
  private val schema = reader.getFileMetaData.getSchema
  private val declared = new StatisticsReader(writer)

  def check(): ProvenLeaves = {
    val groups = reader.getRowGroups.asScala.toSeq.zipWithIndex.map { case (block, i) => check(block, i) }
    val proven = schema.getColumns.asScala.map(_.getPath.toSeq).flatMap { leaf =>
      val facts = groups.map(_.leaves.get(leaf))
      Option.when(facts.forall(_.isDefined))(leaf -> FooterStatistics.merged(facts.flatten))
    }
    ProvenLeaves(proven.toMap, groups.flatMap(_.findings))
  }

  private def check(block: BlockMetaData, group: Int): ProvenLeaves = {
    val chunks = block.getColumns.asScala.map(chunk => chunk.getPath.toArray.toSeq -> chunk).toMap
    val proofs = schema.getColumns.asScala.toSeq.flatMap { leaf =>
      chunks.get(leaf.getPath.toSeq).map { chunk =>
        val proof = new ChunkProof(leaf, chunk, group, block.getRowCount)
        try {
          // Reads one leaf at a time: a row group may be large, and a damaged leaf must not affect others.
          reader.setRequestedSchema(java.util.List.of(leaf))
          proof.check(reader.readRowGroup(group))
        } catch {
          case NonFatal(e) =>
            ProvenLeaves(Map.empty, Seq(proof.finding(s"it cannot be decoded (${Errors.reason(e)})")))
        }
      }
    }
    ProvenLeaves(proofs.flatMap(_.leaves).toMap, proofs.flatMap(_.findings))
  }

  /** One leaf in one row group. */
  private final class ChunkProof(leaf: ColumnDescriptor, chunk: ColumnChunkMetaData, group: Int, rows: Long) {
    private val path = leaf.getPath.toSeq
    private val column = leaf.getPrimitiveType
    private val order = column.comparator[AnyRef]

    def finding(wrong: String): Finding =
      Finding(path.map(Shape.quoted).mkString("."), "", s"in row group $group, $wrong")

    def check(store: PageReadStore): ProvenLeaves = {
      val offsets = Option(reader.readOffsetIndex(chunk))
      val starts = offsets.fold(Array(0L))(p => Array.tabulate(p.getPageCount)(p.getFirstRowIndex(_)))
      val values = new LeafValues(leaf, starts)
      val pages = new CheckedPages(new CheckedDifferences(store)).getPageReader(leaf)
      values.read(
        new ColumnReaderImpl(leaf, pages, new PrimitiveConverter {}, writer),
        pages.getTotalValueCount
      )
      val all = values.all
      val decode = StatisticsReader.decoder(column)
      val facts = LeafStatistics(all.entries, Some(all.nulls), all.bounds(decode), hasNoNaN = !all.hasNaN)
      val index =
        offsets.flatMap(p => Option(reader.readColumnIndex(chunk)).map(i => pageFindings(i, p, values.pages)))
      ProvenLeaves(
        Map(path -> facts),
        chunkFindings(all) ++ digits(all) ++ levels(values) ++ index.toSeq.flatten
      )
    }

    private def chunkFindings(actual: LeafTally): Seq[Finding] = {
      val statistics: Option[Statistics[_]] = Option(chunk.getStatistics)
      Seq(
        differ("values", chunk.getValueCount, actual.entries),
        differ("rows", rows, actual.rows),
        statistics.filter(_.isNumNullsSet).flatMap(s => differ("nulls", s.getNumNulls, actual.nulls))
      ).flatten.map(finding) ++ statistics.filter(_.hasNonNullValue).toSeq.flatMap { s =>
        bounds(
          "its footer",
          s.genericGetMin.asInstanceOf[AnyRef],
          s.genericGetMax.asInstanceOf[AnyRef],
          actual
        ) ++
          Option.when(actual.hasNaN && declared.ofChunk(chunk).hasNoNaN)(finding(
            "its footer has bounds although a value is NaN, for which its writer writes no bounds"
          ))
      }
    }

    /** Law: if the least and the greatest value have few enough digits, all values have. */
    private def digits(actual: LeafTally): Seq[Finding] = ScalarType.fromParquet(column).toSeq.flatMap {
      case ScalarType.Dec(precision, _) =>
        val bounds = actual.bounds(StatisticsReader.decoder(column))
        val isWide = Seq(bounds.min, bounds.max).flatten.exists {
          case Datum.Exact(number) => number.precision > precision
          case _ => false
        }
        Option.when(isWide)(finding(s"a decimal has more than $precision digits")).toSeq ++
          Option.when(actual.hasEmpty)(finding("a decimal has no digits"))
      case _ => Nil
    }

    private def differ(what: String, stated: Long, actual: Long) =
      Option.when(stated != actual)(s"its footer counts $stated $what and there are $actual")

    private def bounds(source: String, min: AnyRef, max: AnyRef, actual: LeafTally): Seq[Finding] =
      if (!actual.hasBounds) Nil
      else
        Seq(
          Option.when(order.compare(min, actual.min) > 0)(
            s"$source says that no value is less than ${text(min)}, and ${text(actual.min)} is"
          ),
          Option.when(order.compare(max, actual.max) < 0)(
            s"$source says that no value is greater than ${text(max)}, and ${text(actual.max)} is"
          )
        ).flatten.map(finding)

    private def text(value: AnyRef): String = {
      val single: Statistics[_] = Statistics.createStats(column)
      LeafTally.put(single, value)
      val shown = single.minAsString
      if (shown.length <= 40) s"'$shown'" else s"'${shown.take(39)}…'"
    }

    private def levels(values: LeafValues): Seq[Finding] =
      declared.ofChunk(chunk).levels.toSeq.flatMap { levels =>
        Option.when(levels != values.levels.toIndexedSeq)(
          finding("its footer's histogram of levels is wrong")
        )
      }

    private def pageFindings(
        index: ColumnIndex,
        offsets: OffsetIndex,
        tallies: IndexedSeq[LeafTally]
    ): Seq[Finding] =
      if (index.getNullPages.size != tallies.size || tallies.size != offsets.getPageCount)
        Seq(finding(s"its page indexes have ${index.getNullPages.size} and ${offsets.getPageCount} pages"))
      else
        tallies.indices.flatMap { page =>
          val (tally, source) = (tallies(page), s"the index of its page $page")
          val nulls = Option(index.getNullCounts).map(_.get(page).longValue).filter(_ != tally.nulls)
          if (index.getNullPages.get(page) && tally.nulls < tally.entries)
            Seq(finding(s"$source says that all values are null, and ${tally.entries - tally.nulls} are not"))
          else {
            val ends =
              if (index.getNullPages.get(page)) Nil
              else {
                def bound(values: java.util.List[java.nio.ByteBuffer]) =
                  StatisticsReader.plain(column, values.get(page)).asInstanceOf[AnyRef]
                bounds(source, bound(index.getMinValues), bound(index.getMaxValues), tally)
              }
            nulls.map(n => finding(s"$source counts $n nulls and there are ${tally.nulls}")).toSeq ++ ends
          }
        }
  }
}
