/**
 * Decides whether late materialisation is tried in the next row group of a task.
 *
 * After each attempt that does not pay, more row groups are read without an attempt: 1, 3, 7, then 15.
 */
package shreddedvariant.parquet.bind

private[parquet] final class Attempts {
  private var pause = 0
  private var remainingPause = 0

  def next(): Boolean = {
    if (remainingPause > 0) remainingPause -= 1
    remainingPause == 0
  }

  def ended(paid: Boolean): Unit = {
    pause = if (paid) 0 else math.min(2 * pause + 1, 15)
    remainingPause = if (paid) 0 else pause + 1
  }
}
