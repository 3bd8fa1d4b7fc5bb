/** Opens Parquet files, whole or by splits; whatever is none is refused in one sentence. */
package shreddedvariant.parquet

import java.io.FileNotFoundException
import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.google.common.cache.{Cache, CacheBuilder}
import com.google.common.util.concurrent.{ExecutionError, UncheckedExecutionException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetInputFormat}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.execution.datasources.PartitionedFile
import shreddedvariant.Errors

/** `reader` has the row groups that are the split's, and reads pages with `codecs`; `all` are those of the file. */
final case class OpenSplit(reader: ParquetFileReader, codecs: PageCodecs, all: Seq[BlockMetaData])

object OpenFile {

  /** The file as it is now. */
  def apply(path: Path, conf: Configuration): ParquetFileReader = refusing(path) {
    ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options(path, conf, new PageCodecs(conf)))
  }

  /** A split of a file that the query `scan` reads. */
  def split(split: PartitionedFile, conf: Configuration, scan: String): OpenSplit = refusing(split.toPath) {
    val isWhole = split.start == 0 && split.length >= split.fileSize
    val input = HadoopInputFile.fromPath(split.toPath, conf)
    val codecs = new PageCodecs(conf)
    val known = options(split.toPath, conf, codecs)
    if (isWhole) {
      val reader = ParquetFileReader.open(input, known)
      OpenSplit(reader, codecs, reader.getRowGroups.asScala.toSeq)
    } else {
      val shared = SharedFooters.footer(scan, split)(read(input, known))
      // What decrypts a file is for one thread.
      val footer = if (shared.getFileMetaData.getFileDecryptor == null) shared else read(input, known)
      val blocks = footer.getBlocks.asScala.toSeq
      val own = new ParquetMetadata(footer.getFileMetaData, blocks.filter(isIn(split, _)).asJava)
      val stream = input.newStream()
      OpenSplit(new ParquetFileReader(input, own, known, stream), codecs, blocks)
    }
  }

  private def options(path: Path, conf: Configuration, codecs: PageCodecs) = {
    val options = HadoopReadOptions.builder(conf, path)
      .withCodecFactory(codecs)
      .withAllocator(new PageAllocator)
      .withMaxAllocationInBytes(PageArrays.Most)
    // Of a disk, ranges side by side come through further buffers, which takes longer than one after the other.
    if (path.toUri.getScheme == "file" && conf.get(ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED) == null)
      options.withUseHadoopVectoredIo(false)
    options.build()
  }

  private def read(input: HadoopInputFile, options: ParquetReadOptions): ParquetMetadata = {
    val stream = input.newStream()
    try ParquetFileReader.readFooter(input, options, stream)
    finally stream.close()
  }

  /**
   * Law: each row group is in exactly one split, the one that has its middle. Splits part the file without a gap, and a
   * footer that puts a row group outside the file has it read, and refused, with the first split or the last.
   */
  private def isIn(split: PartitionedFile, block: BlockMetaData): Boolean = {
    val middle = if (block.getColumns.isEmpty) 0 else block.getStartingPos + block.getCompressedSize / 2
    val inFile = math.max(0, math.min(middle, split.fileSize - 1))
    split.start <= inFile && inFile < split.start + split.length
  }

  private def refusing[A](path: Path)(open: => A): A =
    try open
    catch {
      case e: FileNotFoundException => throw e
      case e: StackOverflowError =>
        throw Errors.notParquet(path.toString, new RuntimeException("its schema is too deep", e))
      case NonFatal(e) => throw Errors.notParquet(path.toString, e)
    }
}

/**
 * Footers of files whose splits this JVM reads one after the other or side by side: each is read and parsed once. Another
 * query reads it anew, for it may find another file there.
 */
private object SharedFooters {
  private final case class Key(scan: String, file: String)

  private val footers: Cache[Key, ParquetMetadata] = CacheBuilder.newBuilder()
    .maximumSize(32)
    .softValues()
    .expireAfterAccess(Duration.ofMinutes(1))
    .build[Key, ParquetMetadata]()

  def footer(scan: String, split: PartitionedFile)(read: => ParquetMetadata): ParquetMetadata =
    try footers.get(Key(scan, split.urlEncodedPath), () => read)
    catch {
      case e @ (_: ExecutionException | _: UncheckedExecutionException | _: ExecutionError) =>
        throw e.getCause
    }
}
