package shreddedvariant

/** Counts how many attempts gave a value and how many were refused: if all had one outcome, they would show little. */
final class Outcomes {
  private var answered, refused = 0

  def values: Int = answered
  def refusals: Int = refused

  /** The value, or None if it is refused by one of these exceptions; another exception passes through. */
  def of[A](attempt: => A)(refusal: PartialFunction[Throwable, Unit]): Option[A] =
    try {
      val value = attempt
      answered += 1
      Some(value)
    } catch {
      case e: Throwable if refusal.isDefinedAt(e) =>
        refusal(e)
        refused += 1
        None
    }

  def check(atLeast: Int): Unit = munit.Assertions.assert(answered >= atLeast && refused >= atLeast, toString)

  override def toString: String = s"$answered values, $refused refusals"
}
