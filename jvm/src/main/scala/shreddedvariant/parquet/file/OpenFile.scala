/** Opens Parquet files or splits of them, and refuses files that are not Parquet with one error. */
package shreddedvariant.parquet.file

import java.io.FileNotFoundException
import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.google.common.cache.{Cache, CacheBuilder}
import com.google.common.util.concurrent.{ExecutionError, UncheckedExecutionException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hdfs.BlockMissingException
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.format.Util
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetInputFormat}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.ParquetDecodingException
import org.apache.spark.sql.execution.datasources.PartitionedFile
import shreddedvariant.Errors
import shreddedvariant.parquet.page.{PageAllocator, PageArrays, PageCodecs}

/**
 * `reader` has the row groups of the split and decompresses pages with `codecs`; `all` are the row groups of
 * the file.
 */
final case class OpenSplit(reader: ParquetFileReader, codecs: PageCodecs, all: Seq[BlockMetaData])

object OpenFile {

  /** Opens the file and reads its footer anew. */
  def apply(path: Path, conf: Configuration): ParquetFileReader = refusing(path, conf) {
    opened(HadoopInputFile.fromPath(path, conf), options(path, conf, new PageCodecs(conf)).build())
  }

  /** Opens the file so that pages are compared with their checksums. */
  def checked(path: Path, conf: Configuration): ParquetFileReader = refusing(path, conf) {
    val readOptions = options(path, conf, new PageCodecs(conf)).usePageChecksumVerification()
    opened(HadoopInputFile.fromPath(path, conf), readOptions.build())
  }

  /** Opens a split of a file. Splits of a file with the same `run` share its footer. */
  def split(split: PartitionedFile, conf: Configuration, run: String): OpenSplit =
    refusing(split.toPath, conf) {
      val isWhole = split.start == 0 && split.length >= split.fileSize
      val input = HadoopInputFile.fromPath(split.toPath, conf)
      val codecs = new PageCodecs(conf)
      val readOptions = options(split.toPath, conf, codecs).build()
      if (isWhole) {
        val reader = opened(input, readOptions)
        OpenSplit(reader, codecs, reader.getRowGroups.asScala.toSeq)
      } else {
        val shared = SharedFooters.footer(run, split)(read(input, readOptions))
        // A file decryptor must be used by one thread only, so an encrypted file is read again.
        val footer = if (shared.getFileMetaData.getFileDecryptor == null) shared else read(input, readOptions)
        val blocks = footer.getBlocks.asScala.toSeq
        val metadata = new ParquetMetadata(footer.getFileMetaData, blocks.filter(isIn(split, _)).asJava)
        val stream = input.newStream()
        OpenSplit(new ParquetFileReader(input, metadata, readOptions, stream), codecs, blocks)
      }
    }

  private def options(path: Path, conf: Configuration, codecs: PageCodecs) = {
    val options: ParquetReadOptions.Builder = HadoopReadOptions.builder(conf, path)
      .withCodecFactory(codecs)
      .withAllocator(new PageAllocator)
      .withMaxAllocationInBytes(PageArrays.MaxSize)
    // On a local disk, vectored reads use extra buffers and are slower than reading one range after the other.
    if (path.toUri.getScheme == "file" && conf.get(ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED) == null)
      options.withUseHadoopVectoredIo(false)
    options
  }

  private def opened(input: HadoopInputFile, options: ParquetReadOptions): ParquetFileReader = {
    val reader = ParquetFileReader.open(input, options)
    try check(reader.getFooter, input.getLength)
    catch { case NonFatal(e) => reader.close(); throw e }
    reader
  }

  private def read(input: HadoopInputFile, options: ParquetReadOptions): ParquetMetadata = {
    val stream = input.newStream()
    val footer =
      try ParquetFileReader.readFooter(input, options, stream)
      finally stream.close()
    check(footer, input.getLength)
    footer
  }

  /**
   * Law: all column chunks are within the file, and those of a row group with values do not overlap. So they
   * take no more memory than the size of the file, and so does a bloom filter.
   */
  private def check(footer: ParquetMetadata, length: Long): Unit =
    for (block <- footer.getBlocks.asScala) {
      val chunks = block.getColumns.asScala.iterator.filterNot(_.isEncrypted).toArray.sortBy(_.getStartingPos)
      var end = 0L
      for (chunk <- chunks) {
        val (start, size) = (chunk.getStartingPos, chunk.getTotalSize)
        if (start < 0 || size < 0 || start > length || size > length - start || chunk.getValueCount < 0)
          throw new ParquetDecodingException(s"${chunk.getPath} has $size bytes at $start of $length")
        if (start < end && size > 0 && chunk.getValueCount > 0)
          throw new ParquetDecodingException(s"${chunk.getPath} starts at $start inside of another column")
        if (chunk.getBloomFilterLength > length)
          throw new ParquetDecodingException(
            s"${chunk.getPath} has a bloom filter that is larger than the file"
          )
        if (chunk.getValueCount > 0) end = math.max(end, start + size)
      }
    }

  /**
   * Law: each row group is in exactly one split, the split that contains its middle. The splits cover the file
   * without gaps or overlaps, and [[check]] ensures that row groups are within the file.
   */
  private def isIn(split: PartitionedFile, block: BlockMetaData): Boolean = {
    val middle = if (block.getColumns.isEmpty) 0 else block.getStartingPos + block.getCompressedSize / 2
    val clamped = math.max(0, math.min(middle, split.fileSize - 1))
    split.start <= clamped && clamped < split.start + split.length
  }

  private def refusing[A](path: Path, conf: Configuration)(open: => A): A =
    try open
    catch {
      // Spark handles these exceptions differently from damaged files.
      case e @ (_: FileNotFoundException | _: AccessControlException | _: BlockMissingException) => throw e
      case _: StackOverflowError => throw Errors.schemaTooDeep(path.toString)
      case NonFatal(e) =>
        throw unknownType(path, conf).fold(Errors.notParquet(path.toString, e)) { column =>
          Errors.unknownType(path.toString, column, e)
        }
    }

  /** The first column whose logical type parquet-java does not have, if the footer is otherwise readable. */
  private def unknownType(path: Path, conf: Configuration): Option[String] =
    try
      Using.resource(HadoopInputFile.fromPath(path, conf).newStream()) { in =>
        val end = path.getFileSystem(conf).getFileStatus(path).getLen - 8
        in.seek(end)
        val length = BytesUtils.readIntLittleEndian(in).toLong
        if (length < 0 || length > end - 4) None
        else {
          in.seek(end - length)
          Util.readFileMetaData(in).getSchema.asScala
            .find(e => e.isSetLogicalType && e.getLogicalType.getSetField == null)
            .map(_.getName)
        }
      }
    catch { case NonFatal(_) => None }
}

/**
 * A cache of footers, so that the splits that this JVM reads of a file in one run parse its footer once.
 * Another run reads the footer again, because the file may have changed.
 */
private[parquet] object SharedFooters {
  private final case class Key(run: String, file: String)

  private val footers: Cache[Key, ParquetMetadata] = CacheBuilder.newBuilder()
    .maximumSize(32)
    .softValues()
    .expireAfterAccess(Duration.ofMinutes(1))
    .build[Key, ParquetMetadata]()

  def footer(run: String, split: PartitionedFile)(read: => ParquetMetadata): ParquetMetadata =
    try footers.get(Key(run, split.urlEncodedPath), () => read)
    catch {
      case e @ (_: ExecutionException | _: UncheckedExecutionException | _: ExecutionError) =>
        throw e.getCause
    }
}
