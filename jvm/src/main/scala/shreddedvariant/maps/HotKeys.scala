/**
 * The names that map shredding has in files (specification: Map Shredding for hot keys): sidecars, footer keys, key lists.
 *
 * {{{
 *   optional group headers (MAP) { … }                    <- the residual: a standard map without the hot keys' values
 *   optional binary __paimon_map_shred_headers_0;         <- the value of hot key 0, null where the residual says it all
 *   optional binary __paimon_map_shred_headers_1;
 *   footer: paimon.map.shredding.headers.keys = content-type,user-agent
 * }}}
 */
package shreddedvariant.maps

import java.nio.charset.StandardCharsets

import scala.util.Try

import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}

object HotKeys {
  private val SidecarPrefix = "__paimon_map_shred_"
  private val FooterPrefix = "paimon.map.shredding."
  private val FooterSuffix = ".keys"

  def sidecar(column: String, key: Int): String = s"$SidecarPrefix${column}_$key"

  /** Whether a column could be taken for a sidecar. */
  def isReserved(name: String): Boolean = name.startsWith(SidecarPrefix)

  /** The map beside which a column of this name is a sidecar, and the number of its key. */
  def sidecarOf(name: String): Option[(String, Int)] = {
    val (column, number) = name.splitAt(name.lastIndexOf('_'))
    for {
      index <- Option.when(isReserved(name))(number.drop(1)).flatMap(_.toIntOption) if index >= 0
      map = column.drop(SidecarPrefix.length) if sidecar(map, index) == name
    } yield (map, index)
  }

  /** The key of the footer for a map, by the names of the structs around it; those that hold dots are quoted. */
  def footerKey(column: Seq[String]): String =
    column.map(quotedWhereNeeded).mkString(FooterPrefix, ".", FooterSuffix)

  /** The keys of a footer that may be for a map: the specification knows no structs, and quotes no names. */
  def footerKeys(column: Seq[String]): Seq[String] =
    footerKey(column) +: Seq(column).filter(_.size == 1).map(_.mkString(FooterPrefix, "", FooterSuffix))

  /** What a footer says of a map. */
  def named(footer: Map[String, String], column: Seq[String]): Option[String] =
    footerKeys(column).flatMap(footer.get).headOption

  /** The map that a key of the footer is for, as it stands there. */
  def ofFooterKey(key: String): Option[String] =
    Option.when(key.startsWith(FooterPrefix) && key.endsWith(FooterSuffix))(
      key.drop(FooterPrefix.length).dropRight(FooterSuffix.length)
    )

  private def quotedWhereNeeded(name: String) =
    if (name.contains('.') || name.contains('`')) "`" + name.replace("`", "``") + "`" else name

  /** A list of keys as footers and options have it: a JSON array, or separated by commas and trimmed. */
  def parse(list: String): Seq[String] = json(list).getOrElse(list.split(",", -1).toSeq.map(_.trim))

  /** Whether a list is JSON, which may have keys that stand nowhere between commas. */
  def isJson(list: String): Boolean = json(list).isDefined

  /** JSON where the commas would not give the same keys back. */
  def text(keys: Seq[String]): String = {
    val list = keys.mkString(",")
    if (keys.forall(_.nonEmpty) && keys.forall(isTrimmed) && parse(list) == keys) list
    else mapper.writeValueAsString(keys.toArray)
  }

  /** Whether a key is none in UTF-8: half of a pair of surrogates alone. */
  def hasNoBytes(key: String): Boolean = !StandardCharsets.UTF_8.newEncoder.canEncode(key)

  /** Readers may trim more than we do. */
  private def isTrimmed(key: String) = key == key.trim && key == key.strip

  private def json(list: String): Option[Seq[String]] =
    if (!list.trim.startsWith("[")) None
    else
      Try(mapper.readTree(list)).toOption.filter(node => node != null && node.isArray).map { array =>
        (0 until array.size).map(array.get)
      }.filter(_.forall(_.isTextual)).map(_.map(_.asText))

  private val mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
}
