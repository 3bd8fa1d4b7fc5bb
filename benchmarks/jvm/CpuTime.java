/** The CPU time of this JVM, for {@code make compare}: py4j cannot call the JDK's own bean, whose class is not public. */
package shreddedvariant.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

public final class CpuTime {
    private CpuTime() {
    }

    public static long nanoseconds() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
