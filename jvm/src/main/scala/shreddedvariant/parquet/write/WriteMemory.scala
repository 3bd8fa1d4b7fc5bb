/**
 * Limits the row groups of all open files to `parquet.memory.pool.ratio` of the heap.
 *
 * If the sizes of their row groups add up to more, each file gets its proportional part. (Parquet's own manager
 * accepts only Parquet's writers.)
 */
package shreddedvariant.parquet.write

import java.util.concurrent.atomic.AtomicLong

private[parquet] object WriteMemory {
  private val requestedBytes = new AtomicLong

  def open(settings: WriteSettings): Share = {
    requestedBytes.addAndGet(settings.rowGroupBytes)
    new Share(settings)
  }

  final class Share(settings: WriteSettings) extends AutoCloseable {
    private val pool = (Runtime.getRuntime.maxMemory * settings.memoryShare.toDouble).toLong

    /** The current size limit of a row group. */
    def rowGroupBytes: Long = {
      val requested = requestedBytes.get
      if (requested <= pool) settings.rowGroupBytes
      else
        math.max(
          (settings.rowGroupBytes * (pool.toDouble / requested)).toLong,
          math.min(settings.minRowGroupBytes, settings.rowGroupBytes)
        )
    }

    override def close(): Unit = requestedBytes.addAndGet(-settings.rowGroupBytes)
  }
}
