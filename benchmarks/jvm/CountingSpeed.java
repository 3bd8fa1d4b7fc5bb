package shreddedvariant.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import shreddedvariant.infer.Counts;

/** Measures what it costs to count an event for inference: nanoseconds of CPU (`make bench-counting`). */
public final class CountingSpeed {
    private static final int EVENTS = 20_000;
    private static final int ROUNDS = 15;
    private static final int REPEATS = 20;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Random random = new Random(1);

    /** An event of about ten fields and some of `optional` more fields; each selection of these has its own dictionary. */
    private Variant event(int i, int optional) throws Exception {
        String extra = IntStream.range(0, optional)
                .filter(n -> random.nextBoolean())
                .mapToObj(n -> "\"extra" + n + "\":" + n + ",")
                .collect(Collectors.joining());
        String json = """
                {"id":%d,"time":%d,"type":"type%d","user":{"id":%d,"name":"user%d"},%s
                "price":%d.%d,"ok":%b,"score":1.5e300,"tags":["a","b"]}"""
                .formatted(i, 1_700_000_000_000L + i, i % 7, i % 1000, i, extra, i / 100, i % 100, i % 2 == 0);
        return VariantBuilder.parseJson(json, false);
    }

    private double nanosOfAnEvent(Variant[] events) {
        double least = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            Counts counts = new Counts();
            long start = threads.getCurrentThreadCpuTime();
            for (int repeat = 0; repeat < REPEATS; repeat++) {
                for (Variant event : events) {
                    counts.add(event.getMetadata(), event.getValue());
                }
            }
            long spent = threads.getCurrentThreadCpuTime() - start;
            least = Math.min(least, (double) spent / REPEATS / events.length);
        }
        return least;
    }

    private void print(String title, int optional) throws Exception {
        Variant[] events = new Variant[EVENTS];
        for (int i = 0; i < EVENTS; i++) {
            events[i] = event(i, optional);
        }
        System.out.printf("%s: %.0f ns an event%n", title, nanosOfAnEvent(events));
    }

    public static void main(String[] args) throws Exception {
        CountingSpeed speed = new CountingSpeed();
        speed.print("one dictionary", 0);
        speed.print("32 dictionaries", 5);
        speed.print("1024 dictionaries", 10);
    }
}
