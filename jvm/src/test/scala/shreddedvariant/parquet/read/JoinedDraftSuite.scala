/** After a tool joins a draft file of ours with another file, our key in the footer is ignored. */
package shreddedvariant.parquet.read

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.hadoop.{ParquetFileWriter, ParquetWriter}
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types.LongType
import shreddedvariant.{Value, VariantFile}
import shreddedvariant.layout._

class JoinedDraftSuite extends shreddedvariant.Suite {
  private val conf = new Configuration(false)
  private val shape = ShapeParser.parse("a BIGINT")
  private val path = PathColumn(Seq("v"), Seq(PathStep.Key("a")), PathResult.Value(LongType, None))

  private def document(a: Long) = Value.encode(Value.Obj(Map("a" -> Value.Integer(a, 8))))

  test("a path is found in an enclosing stored value in a file with rows of another writer") {
    VariantFile.withFile { ours =>
      VariantFile.write(ours, Seq(document(1)), shape, layout = WriteLayout.Draft)
      VariantFile.withFile { other =>
        val footer = VariantFile.footer(ours)
        writeStored(other, footer.getSchema, document(2))
        VariantFile.withFile { joined =>
          join(joined, footer.getSchema, footer.getKeyValueMetaData.asScala.toMap, Seq(ours, other))
          assert(VariantFile.footer(joined).getKeyValueMetaData.containsKey(DraftLayout.FooterKey))
          assertEquals(VariantFile.readPaths(joined, Seq(path))._1, Seq(Seq[Any](1L), Seq[Any](2L)))
        }
      }
    }
  }

  /** Writes one row whose document is stored whole, although its fields have cells. */
  private def writeStored(file: Path, schema: MessageType, document: (Array[Byte], Array[Byte])): Unit = {
    val writer: ParquetWriter[org.apache.parquet.example.data.Group] =
      ExampleParquetWriter.builder(HadoopOutputFile.fromPath(hadoop(file), conf)).withType(schema).build()
    val row = new SimpleGroup(schema)
    row.addGroup("v").add(
      DraftLayout.UntypedValue,
      Binary.fromConstantByteArray(document._1 ++ document._2)
    )
    writer.write(row)
    writer.close()
  }

  private def join(
      to: Path,
      schema: MessageType,
      keys: Map[String, String],
      files: Seq[Path]
  ): Unit = {
    val writer = new ParquetFileWriter(
      HadoopOutputFile.fromPath(hadoop(to), conf),
      schema,
      ParquetFileWriter.Mode.CREATE,
      1 << 20,
      0,
      null,
      ParquetProperties.builder().build()
    )
    writer.start()
    files.foreach(file => writer.appendFile(HadoopInputFile.fromPath(hadoop(file), conf)))
    writer.end(keys.asJava)
  }

  private def hadoop(file: Path) = new HadoopPath(file.toUri)
}
