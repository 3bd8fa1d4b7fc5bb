/** The settings `parquet.*` of a write, with Parquet's defaults. */
package shreddedvariant.parquet.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.{ParquetOutputFormat, ParquetWriter}
import org.apache.parquet.hadoop.codec.ZstandardCodec

private[parquet] final class WriteSettings(conf: Configuration) {
  import ParquetOutputFormat._
  import ZstandardCodec._

  val rowGroupBytes: Long = getLongBlockSize(conf)
  val maxPadding: Int = conf.getInt(MAX_PADDING_BYTES, ParquetWriter.MAX_PADDING_SIZE_DEFAULT)

  /** The share of the heap for all row groups that are being written, and the minimal size of one row group. */
  val memoryShare: Float = conf.getFloat(MEMORY_POOL_RATIO, WriteSettings.MemoryShare)
  val minRowGroupBytes: Long = conf.getLong(MIN_MEMORY_ALLOCATION, WriteSettings.MinRowGroupBytes)

  /**
   * Parquet's default level, and a faster level for columns that it compresses as well; or only the configured
   * level.
   */
  val zstdLevels: Seq[Int] = Option(conf.get(PARQUET_COMPRESS_ZSTD_LEVEL))
    .fold(Seq(1, DEFAULT_PARQUET_COMPRESS_ZSTD_LEVEL))(_ => Seq(conf.getInt(PARQUET_COMPRESS_ZSTD_LEVEL, 0)))
  val zstdWorkers: Int = conf.getInt(PARQUET_COMPRESS_ZSTD_WORKERS, DEFAULTPARQUET_COMPRESS_ZSTD_WORKERS)

  val properties: ParquetProperties = {
    val builder = ParquetProperties.builder()
    builder
      .withPageSize(getPageSize(conf))
      .withDictionaryPageSize(getDictionaryPageSize(conf))
      .withDictionaryEncoding(getEnableDictionary(conf))
      .withByteStreamSplitEncoding(getByteStreamSplitEnabled(conf))
      .withWriterVersion(getWriterVersion(conf))
      .estimateRowCountForPageSizeCheck(getEstimatePageSizeCheck(conf))
      .withMinRowCountForPageSizeCheck(getMinRowCountForPageSizeCheck(conf))
      .withMaxRowCountForPageSizeCheck(getMaxRowCountForPageSizeCheck(conf))
      .withPageValueCountThreshold(getValueCountThreshold(conf))
      .withColumnIndexTruncateLength(
        conf.getInt(COLUMN_INDEX_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
      )
      .withStatisticsTruncateLength(
        conf.getInt(STATISTICS_TRUNCATE_LENGTH, ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH)
      )
      .withMaxBloomFilterBytes(getBloomFilterMaxBytes(conf))
      .withBloomFilterEnabled(getBloomFilterEnabled(conf))
      .withAdaptiveBloomFilterEnabled(getAdaptiveBloomFilterEnabled(conf))
      .withRowGroupRowCountLimit(
        conf.getInt(BLOCK_ROW_COUNT_LIMIT, ParquetProperties.DEFAULT_ROW_GROUP_ROW_COUNT_LIMIT)
      )
      .withPageRowCountLimit(
        conf.getInt(PAGE_ROW_COUNT_LIMIT, ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT)
      )
      .withPageWriteChecksumEnabled(getPageWriteChecksumEnabled(conf))
      .withStatisticsEnabled(getStatisticsEnabled(conf))
    // Some settings can be set for one column: `parquet.enable.dictionary#v.value`.
    for (key <- conf.asScala.map(_.getKey) if key.contains('#')) {
      val column = key.substring(key.indexOf('#') + 1)
      key.take(key.indexOf('#')) match {
        case ENABLE_DICTIONARY => builder.withDictionaryEncoding(column, conf.getBoolean(key, false))
        case BLOOM_FILTER_ENABLED => builder.withBloomFilterEnabled(column, conf.getBoolean(key, false))
        case BLOOM_FILTER_EXPECTED_NDV => builder.withBloomFilterNDV(column, conf.getLong(key, -1))
        case BLOOM_FILTER_FPP =>
          builder.withBloomFilterFPP(column, conf.getDouble(key, ParquetProperties.DEFAULT_BLOOM_FILTER_FPP))
        case BLOOM_FILTER_CANDIDATES_NUMBER =>
          val default = ParquetProperties.DEFAULT_BLOOM_FILTER_CANDIDATES_NUMBER
          builder.withBloomFilterCandidatesNumber(column, conf.getInt(key, default))
        case STATISTICS_ENABLED =>
          builder.withStatisticsEnabled(
            column,
            conf.getBoolean(key, ParquetProperties.DEFAULT_STATISTICS_ENABLED)
          )
        case _ =>
      }
    }
    builder.build()
  }
}

private[parquet] object WriteSettings {
  private val MemoryShare = 0.95f
  private val MinRowGroupBytes = 1024L * 1024
}
