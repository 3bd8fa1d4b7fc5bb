/**
 * Row groups of files that are written at the same time share the heap: when their sizes add up to more than
 * `parquet.memory.pool.ratio` of it, each gets its part. (Parquet's own manager takes no writers but Parquet's.)
 */
package shreddedvariant.parquet.write

import java.util.concurrent.atomic.AtomicLong

private[parquet] object WriteMemory {
  private val wanted = new AtomicLong

  def open(settings: WriteSettings): Share = {
    wanted.addAndGet(settings.rowGroupBytes)
    new Share(settings)
  }

  final class Share(settings: WriteSettings) extends AutoCloseable {
    private val pool = (Runtime.getRuntime.maxMemory * settings.memoryShare.toDouble).toLong

    /** How large a row group may get at present. */
    def rowGroupBytes: Long = {
      val all = wanted.get
      if (all <= pool) settings.rowGroupBytes
      else
        math.max(
          (settings.rowGroupBytes * (pool.toDouble / all)).toLong,
          math.min(settings.leastRowGroupBytes, settings.rowGroupBytes)
        )
    }

    override def close(): Unit = wanted.addAndGet(-settings.rowGroupBytes)
  }
}
