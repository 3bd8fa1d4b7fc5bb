/** The sentences of `error-conditions.json`, which has the format of Spark's error conditions. */
package shreddedvariant

import java.net.URL

import scala.util.matching.Regex

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Not read with Spark's `ErrorClassesJsonReader`, which leaves the jar open: see [[read]]. */
private[shreddedvariant] object ErrorConditions {
  private val Parameter = "<([a-zA-Z0-9_-]+)>".r

  private lazy val conditions = read(getClass.getResource("error-conditions.json"))

  /** The sentence of a condition. Parameters are searched in the sentence alone, not in values. */
  def sentence(condition: String, parameters: Map[String, Any]): String =
    Parameter.replaceAllIn(
      conditions.get(condition).get("message").get(0).textValue,
      found => Regex.quoteReplacement(s"${parameters(found.group(1))}")
    )

  /** Without the cache of jar connections, which would keep the jar of a session open until the JVM ends. */
  def read(resource: URL): JsonNode = {
    val connection = resource.openConnection()
    connection.setUseCaches(false)
    val in = connection.getInputStream
    try new ObjectMapper().readTree(in)
    finally in.close()
  }
}
