/** Holds the hot keys that a footer names to the columns of its file: each map has all of them, or none is named. */
package shreddedvariant.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, MessageType}
import org.apache.parquet.schema.Type.Repetition
import shreddedvariant.ShreddedVariantException
import shreddedvariant.layout.Shape
import shreddedvariant.maps.HotKeys
import shreddedvariant.stats.Finding

/** `unreadable` are the columns of the file with maps that cannot be put together. */
final case class ProvenMaps(findings: Seq[Finding], unreadable: Set[String])

object MapProof {
  def check(file: MessageType, footer: Map[String, String], hot: FileMaps): ProvenMaps = {
    val maps = mapsOf(file, Nil)
    val wrong = maps.flatMap { path =>
      try
        Option.when(hot.hotKeys(path).isEmpty && footer.contains(HotKeys.footerKey(path)))(
          (path, finding(text(path), "the footer names hot keys of it, and no column of the file has them"), false)
        )
      catch { case e: ShreddedVariantException => Some((path, RowProof.finding(text(path), e), true)) }
    }
    val known = maps.map(HotKeys.footerKey).toSet
    val strangers = footer.keys.toSeq.sorted.filterNot(known).flatMap(HotKeys.ofFooterKey).map { name =>
      finding(name, "the footer names hot keys of it, and the file has no such map")
    }
    ProvenMaps(
      wrong.map(_._2) ++ strangers,
      wrong.collect { case (path, _, isUnreadable) if isUnreadable => path.head }.toSet
    )
  }

  private def finding(map: String, wrong: String) = Finding(map, "", wrong)
  private def text(path: Seq[String]) = path.map(Shape.quoted).mkString(".")

  /** The maps of a group and of the structs in it, which alone can have hot keys. */
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
