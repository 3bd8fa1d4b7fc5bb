/** Each error and warning has its sentence from `error-conditions.json`, with the values that it was given. */
package shreddedvariant

import java.lang.reflect.{Method, Modifier, Type}
import java.nio.file.{Files, Path, StandardCopyOption}
import java.time.Instant
import java.util.zip.{ZipEntry, ZipOutputStream}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.ErrorClassesJsonReader

class ErrorsSuite extends Suite {
  import ErrorsSuite._

  private val resource = classOf[ShreddedVariantException].getResource("error-conditions.json")
  private lazy val conditions = ErrorConditions.read(resource).properties.asScala.toSeq.map(_.getKey)

  /** The methods that make an error or a warning. */
  private lazy val methods: Seq[Method] = Errors.getClass.getDeclaredMethods.toSeq
    .filter(m => Modifier.isPublic(m.getModifiers) && !m.getName.contains("$") && m.getName != "reason")
    .filter(m => classOf[Throwable].isAssignableFrom(m.getReturnType) || m.getReturnType == classOf[String])
    .sortBy(_.getName)

  /** The results of a method for arguments with these texts: optional ones given or not, booleans true or false. */
  private def made(method: Method, text: String => String): Seq[Made] =
    Seq(true, false).map { present =>
      val arguments = method.getParameters.toSeq.map(p =>
        argument(p.getParameterizedType, text(s"${p.getName} of ${method.getName}"), present)
      )
      Made(method, arguments, method.invoke(Errors, arguments: _*))
    }

  test("the errors and warnings use each condition, and the conditions are in order") {
    val used = methods.flatMap(made(_, plain)).map(_.condition).toSet
    assertEquals(used, conditions.toSet)
    assertEquals(conditions, conditions.sorted)
  }

  test("a sentence says what is wrong, has a colon, then says what to do") {
    for (method <- methods; m <- made(method, plain)) {
      assert(m.sentence.matches("""[^\n]{10,}: [^\n]{5,}[.?]"""), m.message)
      assert(m.sentence.endsWith(".") || m.sentence.matches(".*: did you mean '[^']*'\\?"), m.message)
    }
  }

  test("a sentence has the values of all its parameters, and no parameter is left") {
    for (method <- methods; m <- made(method, plain)) {
      m.shown.foreach(value => assert(m.sentence.contains(value), m.message))
      assert(!m.sentence.matches(".*<[a-zA-Z]+>.*") || method.getName == "shape", m.message)
    }
  }

  test("values that look like parameters, groups or escapes, and control characters, appear as they are") {
    val hostile = (text: String) => "<path> ${x} $1 \\1 \\ \u0000\u001b\t<reason>$" + text + "$"
    for (method <- methods; m <- made(method, hostile); value <- m.shown)
      assert(m.sentence.contains(value), m.message)
  }

  test("a sentence with values of a megabyte, or with line breaks still says what to do") {
    val parts = Seq[String => String](_ + "x" * (1 << 20), _ + "\nmore\r\nlines")
    for (method <- methods.filter(_.getParameterCount > 0); part <- parts; m <- made(method, part)) {
      assert(m.sentence.endsWith(".") || m.sentence.endsWith("?"), m.condition)
      assert(m.sentence.contains(": "), m.condition)
    }
  }

  test("a cause is the cause of its error, except of one without memory") {
    for (method <- methods; m <- made(method, plain); cause <- m.arguments.collect { case e: Throwable => e })
      m.result match {
        case error: ShreddedVariantException => assertEquals(error.getCause, cause)
        case error: Throwable => assertEquals(error.getCause, null)
        case warning => assert(warning.isInstanceOf[String])
      }
  }

  test("Spark's reader of error conditions reads the file") {
    val spark = new ErrorClassesJsonReader(Seq(resource))
    for (condition <- conditions) {
      val parameters = spark.getMessageParameters(condition).map(name => name -> s"the $name").toMap
      assertEquals(
        ErrorConditions.sentence(condition, parameters),
        spark.getErrorMessage(condition, parameters)
      )
    }
  }

  test("the jar with the sentences is not kept open") {
    val jar = Files.createTempFile("errors", ".jar")
    def sentence(text: String) = {
      writeJar(jar, s"""{"A": {"message": ["$text"]}}""")
      val url = new java.net.URI(s"jar:${jar.toUri}!/errors.json").toURL
      ErrorConditions.read(url).get("A").get("message").get(0).textValue
    }
    try assertEquals(Seq("one", "another one").map(sentence), Seq("one", "another one"))
    finally Files.delete(jar)
  }
}

object ErrorsSuite {
  private val plain = (text: String) => text

  /** What a method made of its arguments. */
  private case class Made(method: Method, arguments: Seq[AnyRef], result: AnyRef) {
    val message: String = result match {
      case error: Throwable => error.getMessage
      case warning => warning.toString
    }
    val condition: String = message.drop(1).takeWhile(_ != ']')
    val sentence: String = message.drop(condition.length + 3)

    private val named: Seq[(String, Any)] = method.getParameters.toSeq.map(_.getName).zip(arguments)

    /** Names that are shown only if there is none that is nearest. */
    private val hidden: Set[String] =
      if (named.exists { case (name, value) => name == "nearest" && value != None })
        Set("kind", "names", "limits")
      else Set.empty

    /** What the sentence must have of the arguments. */
    def shown: Seq[String] = named.filterNot(p => hidden(p._1)).flatMap {
      case (_, text: String) => Seq(text)
      case (_, Some(value)) => Seq(s"$value")
      case (_, texts: Seq[_]) => texts.map(text => s"'$text'")
      case (_, cause: ShreddedVariantException) => Seq(cause.sentence)
      case (_, cause: Throwable) if method.getName != "unknownType" => Seq(cause.getMessage)
      case ("position", position: Int) => Seq(s"character ${position + 1} ")
      case ("changed", changed: Long) => Seq(s"${Instant.ofEpochMilli(changed)}")
      case (_, number @ (_: Int | _: Long)) => Seq(s"$number")
      case _ => Nil
    }
  }

  /** An argument of a type. */
  private def argument(of: Type, text: String, present: Boolean): AnyRef = of.getTypeName match {
    case "java.lang.String" => text
    case "int" => Int.box(31)
    case "long" => Long.box(123456789012L)
    case "boolean" => Boolean.box(present)
    case "scala.Option<java.lang.Object>" => Option.when(present)(31L)
    case name if name.startsWith("scala.Option") => Option.when(present)(text)
    case name if name.startsWith("scala.collection.immutable.Seq") => Seq(text, "z")
    case "java.lang.Throwable" => new IllegalStateException(text)
    case "java.lang.OutOfMemoryError" => new OutOfMemoryError(text)
    case "shreddedvariant.ShreddedVariantException" => Errors.noPath()
    case other => throw new IllegalArgumentException(s"This suite has no value of the type $other.")
  }

  /** Puts a jar with one entry in the place of a file, as an installer does. */
  private def writeJar(jar: Path, json: String): Unit = {
    val written = Files.createTempFile("errors", ".tmp")
    Using.resource(new ZipOutputStream(Files.newOutputStream(written))) { zip =>
      zip.putNextEntry(new ZipEntry("errors.json"))
      zip.write(json.getBytes)
    }
    Files.move(written, jar, StandardCopyOption.REPLACE_EXISTING)
  }
}
