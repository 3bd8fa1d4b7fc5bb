/** Finds the values of a column chunk with its dictionary or bloom filter, at the cost of a small read. */
package shreddedvariant.parquet.skip

import java.math.BigDecimal

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.column.{ColumnDescriptor, Dictionary, Encoding}
import org.apache.parquet.column.page.DictionaryPageReadStore
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import shreddedvariant.layout.ScalarType
import shreddedvariant.parquet.file.StatisticsReader
import shreddedvariant.parquet.page.DictionaryValues
import shreddedvariant.stats.Datum

final class ChunkValues(reader: ParquetFileReader) {

  /**
   * All values of the chunk; None unless all pages are dictionary-encoded with a dictionary of limited size.
   */
  def distinct(chunk: ColumnChunkMetaData, descriptor: ColumnDescriptor): Option[Seq[Datum]] =
    if (
      !ChunkValues.isAllDictionary(chunk) || ChunkValues.dictionaryBytes(
        chunk
      ) > ChunkValues.MaxDictionaryBytes
    )
      None
    else
      unlessDamaged {
        // A block with only this chunk, because parquet-java's reader finds chunks by names joined with dots.
        val single = new BlockMetaData
        single.addColumn(chunk)
        val store: DictionaryPageReadStore = reader.getDictionaryReader(single)
        for {
          page <- Option(store.readDictionaryPage(descriptor))
          _ = DictionaryValues(page, chunk.getPrimitiveType)
          decode <- StatisticsReader.decoder(chunk.getPrimitiveType)
          value <- ChunkValues.lookup(
            chunk.getPrimitiveType,
            page.getEncoding.initDictionary(descriptor, page)
          )
          values = (0 until page.getDictionarySize).map(id => decode(value(id)))
          if values.forall(_.isDefined)
        } yield values.flatten
      }

  /** A test whether the chunk may contain a value; None without a bloom filter. */
  def bloom(chunk: ColumnChunkMetaData): Option[Datum => Boolean] =
    if (chunk.getBloomFilterOffset < 0) None
    else
      unlessDamaged(Option(reader.readBloomFilter(chunk)))
        .map(filter => (value: Datum) => ChunkValues.mayHold(filter, chunk.getPrimitiveType, value))

  /** None if the read fails. If the chunk is damaged, reading its data reports the error. */
  private def unlessDamaged[A](read: => Option[A]): Option[A] =
    try read
    // A damaged dictionary header may claim more memory than there is.
    catch { case NonFatal(_) | _: OutOfMemoryError => None }
}

private[parquet] object ChunkValues {
  val MaxDictionaryBytes: Long = 1 << 20

  @annotation.nowarn("cat=deprecation")
  private val dictionaries = Set(Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)

  /** Needs the encoding stats of pages: the list of encodings of a chunk also includes those of levels. */
  def isAllDictionary(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getEncodingStats).exists { pages =>
      chunk.hasDictionaryPage && pages.getDataEncodings.asScala.nonEmpty &&
      pages.getDataEncodings.asScala.forall(dictionaries)
    }

  def dictionaryBytes(chunk: ColumnChunkMetaData): Long =
    if (chunk.getDictionaryPageOffset > 0) chunk.getFirstDataPageOffset - chunk.getDictionaryPageOffset
    else Long.MaxValue

  def lookup(column: PrimitiveType, dictionary: Dictionary): Option[Int => Any] =
    column.getPrimitiveTypeName match {
      case INT32 => Some(dictionary.decodeToInt(_))
      case INT64 => Some(dictionary.decodeToLong(_))
      case FLOAT => Some(dictionary.decodeToFloat(_))
      case DOUBLE => Some(dictionary.decodeToDouble(_))
      case BINARY | FIXED_LEN_BYTE_ARRAY => Some(dictionary.decodeToBinary(_))
      case _ => None
    }

  /**
   * A bloom filter has hashes of stored bytes. So zero is tested with both signs, and NaN, with many byte
   * patterns, is not.
   */
  def mayHold(filter: BloomFilter, column: PrimitiveType, value: Datum): Boolean = {
    def contains(hash: Long) = filter.findHash(hash)
    (column.getPrimitiveTypeName, value) match {
      case (INT32, Datum.Exact(number)) => stored(column, number).forall(n => contains(filter.hash(n.toInt)))
      case (INT64, Datum.Exact(number)) => stored(column, number).forall(n => contains(filter.hash(n)))
      case (DOUBLE, Datum.Floating(number)) =>
        number.isNaN || contains(filter.hash(number)) || number == 0 && contains(filter.hash(-number))
      case (FLOAT, Datum.Floating(number)) =>
        number.isNaN || contains(filter.hash(number.toFloat)) || number == 0 && contains(
          filter.hash(-number.toFloat)
        )
      case (BINARY, Datum.Bytes(bytes)) => contains(filter.hash(Binary.fromConstantByteArray(bytes)))
      case _ => true
    }
  }

  /** The unscaled number that the column stores. None if it does not fit, which is then not tested. */
  private def stored(column: PrimitiveType, number: BigDecimal): Option[Long] = {
    val scale = ScalarType.fromParquet(column).collect { case ScalarType.Dec(_, scale) => scale }.getOrElse(0)
    val unscaled = number.movePointRight(scale)
    val bits = if (column.getPrimitiveTypeName == INT32) 31 else 63
    try Option(unscaled.toBigIntegerExact).filter(_.bitLength <= bits).map(_.longValue)
    catch { case _: ArithmeticException => None }
  }
}
