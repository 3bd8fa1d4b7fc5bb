/** Checks that the hot keys that a footer names match the file's columns. */
package shreddedvariant.parquet.verify

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation}
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.layout.Shape
import shreddedvariant.maps.HotKeys
import shreddedvariant.parquet.bind.ReadJob
import shreddedvariant.parquet.file.FileMaps
import shreddedvariant.stats.Finding

/** `unreadable` are the top-level columns with maps that are refused. */
final case class ProvenMaps(findings: Seq[Finding], unreadable: Set[String])

object MapVerifier {
  def check(file: FileMetaData, job: ReadJob): ProvenMaps = {
    val footer = file.getKeyValueMetaData.asScala.toMap
    val hot = new FileMaps(file.getSchema, footer, job.hotKeys, job.sameName)
    val maps = mapsOf(file.getSchema, Nil)
    val refused = maps.flatMap(path => RowVerifier.refusal(text(path))(hot.hotKeys(path)).map(path -> _))
    val withoutColumns = for {
      path <- maps if HotKeys.named(footer, path).isDefined
      if !refused.exists(_._1 == path) && hot.hotKeys(path).isEmpty
    } yield finding(text(path), "the footer names its hot keys, but no column has their values")
    val expectedKeys = maps.flatMap(HotKeys.footerKeys).toSet
    val absent = footer.keys.toSeq.sorted.filterNot(expectedKeys).flatMap(HotKeys.ofFooterKey).map { name =>
      finding(name, "the footer names its hot keys, but the file has no such map")
    }
    ProvenMaps(refused.map(_._2) ++ withoutColumns ++ absent, refused.map(_._1.head).toSet)
  }

  private def finding(map: String, wrong: String) = Finding(map, "", wrong)
  private def text(path: Seq[String]) = path.map(Shape.quoted).mkString(".")

  /** The maps that can have hot keys: those of a group and of the structs in it. */
  private def mapsOf(group: GroupType, path: Seq[String]): Seq[Seq[String]] =
    group.getFields.asScala.toSeq.flatMap {
      case map: GroupType if isMap(map) => Seq(path :+ map.getName)
      case inner: GroupType
          if inner.getLogicalTypeAnnotation == null && !inner.isRepetition(Repetition.REPEATED) =>
        mapsOf(inner, path :+ inner.getName)
      case _ => Nil
    }

  private def isMap(group: GroupType) = group.getLogicalTypeAnnotation match {
    case _: LogicalTypeAnnotation.MapLogicalTypeAnnotation => true
    case _: LogicalTypeAnnotation.MapKeyValueTypeAnnotation => true
    case _ => false
  }
}
