/** What all suites extend: a limit of time for each test, and the tag of those that `make fuzz` runs for longer. */
package shreddedvariant

import scala.concurrent.ExecutionContext
import scala.concurrent.duration._

/** Fails a test that takes too long. munit notices that only if the test does not run on the thread that waits. */
trait TimeLimit { this: munit.FunSuite =>
  QuickLocalFileSystem.use()

  override def munitTimeout: Duration = if (Fuzz.isLong) 2.hours else 5.minutes
  override def munitExecutionContext: ExecutionContext = ExecutionContext.global
}

trait Suite extends munit.FunSuite with TimeLimit

/** A suite whose properties hold for generated values. */
trait LawSuite extends munit.ScalaCheckSuite with Suite

/** The tag of tests that generate their cases, damage bytes, race or kill writers; FUZZ=1 makes them long. */
object Fuzz extends munit.Tag("fuzz") {
  val isLong: Boolean = sys.env.contains("FUZZ")
}
