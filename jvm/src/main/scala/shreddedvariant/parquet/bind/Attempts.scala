/**
 * Whether late materialisation is tried in the next row group of a task.
 *
 * After each attempt that does not pay, twice as many row groups are read without one, up to sixteen.
 */
package shreddedvariant.parquet.bind

private[parquet] final class Attempts {
  private var pause = 0
  private var waiting = 0

  def next(): Boolean = {
    if (waiting > 0) waiting -= 1
    waiting == 0
  }

  def ended(paid: Boolean): Unit = {
    pause = if (paid) 0 else math.min(2 * pause + 1, 15)
    waiting = if (paid) 0 else pause + 1
  }
}
