/** How many bytes the current thread allocates, to show that memory is bounded. */
package shreddedvariant

import java.lang.management.ManagementFactory

object AllocatedBytes {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  def of[A](body: => A): (A, Long) = {
    val before = threads.getCurrentThreadAllocatedBytes
    val result = body
    (result, threads.getCurrentThreadAllocatedBytes - before)
  }
}
