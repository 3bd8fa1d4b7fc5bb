/**
 * The names of map shredding in files (specification: Map Shredding for hot keys): sidecars, footer keys, key
 * lists.
 *
 * {{{
 *   optional group headers (MAP) { … }              <- the residual: a map without the values of hot keys
 *   optional binary __paimon_map_shred_headers_0;   <- the value of hot key 0; null if absent or null
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

  /** Whether a column name has the prefix of sidecars. */
  def isReserved(name: String): Boolean = name.startsWith(SidecarPrefix)

  /** The map whose sidecar has this name, and the number of the hot key. */
  def sidecarOf(name: String): Option[(String, Int)] = {
    val (column, number) = name.splitAt(name.lastIndexOf('_'))
    for {
      index <- Option.when(isReserved(name))(number.drop(1)).flatMap(_.toIntOption) if index >= 0
      map = column.drop(SidecarPrefix.length) if sidecar(map, index) == name
    } yield (map, index)
  }

  /** The footer key of a map, with the names of the structs around the map; names with dots are quoted. */
  def footerKey(column: Seq[String]): String =
    column.map(quotedWhereNeeded).mkString(FooterPrefix, ".", FooterSuffix)

  /** The possible footer keys of a map: the specification does not cover structs, and does not quote names. */
  def footerKeys(column: Seq[String]): Seq[String] =
    footerKey(column) +: Seq(column).filter(_.size == 1).map(_.mkString(FooterPrefix, "", FooterSuffix))

  /** The key list of a map in a footer. */
  def named(footer: Map[String, String], column: Seq[String]): Option[String] =
    footerKeys(column).flatMap(footer.get).headOption

  /** The map of a footer key, as the key spells the map. */
  def ofFooterKey(key: String): Option[String] =
    Option.when(key.startsWith(FooterPrefix) && key.endsWith(FooterSuffix))(
      key.drop(FooterPrefix.length).dropRight(FooterSuffix.length)
    )

  private def quotedWhereNeeded(name: String) =
    if (name.contains('.') || name.contains('`')) "`" + name.replace("`", "``") + "`" else name

  /** Parses a key list of a footer or an option: a JSON array, or keys that are comma-separated and trimmed. */
  def parse(list: String): Seq[String] = json(list).getOrElse(list.split(",", -1).toSeq.map(_.trim))

  /** Whether a list is a JSON array, which may have keys that a comma-separated list cannot have. */
  def isJson(list: String): Boolean = json(list).isDefined

  /** The keys separated by commas, or as JSON if the comma-separated list would not give the same keys. */
  def text(keys: Seq[String]): String = {
    val list = keys.mkString(",")
    if (keys.forall(_.nonEmpty) && keys.forall(isTrimmed) && parse(list) == keys) list
    else mapper.writeValueAsString(keys.toArray)
  }

  /** Whether a key has no UTF-8 encoding, because it has an unpaired surrogate. */
  def hasNoBytes(key: String): Boolean = !StandardCharsets.UTF_8.newEncoder.canEncode(key)

  /** Checks both kinds of trimming, because other readers may trim more characters. */
  private def isTrimmed(key: String) = key == key.trim && key == key.strip

  private def json(list: String): Option[Seq[String]] =
    if (!list.trim.startsWith("[")) None
    else
      Try(mapper.readTree(list)).toOption.filter(node => node != null && node.isArray).map { array =>
        (0 until array.size).map(array.get)
      }.filter(_.forall(_.isTextual)).map(_.map(_.asText))

  private val mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
}
