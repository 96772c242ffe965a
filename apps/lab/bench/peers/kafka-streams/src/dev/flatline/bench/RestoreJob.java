package dev.flatline.bench;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** Starts an application that ran before, says what it took until it ran again, and runs on until the end of its standard input. */
final class RestoreJob implements StateRestoreListener {
  private static final long LOOK_MS = 5;

  private final AtomicLong restored = new AtomicLong();
  private final AtomicLong firstStartNs = new AtomicLong(Long.MAX_VALUE);
  private final AtomicLong lastEndNs = new AtomicLong(Long.MIN_VALUE);

  private RestoreJob() {}

  static String run(Task task) throws Exception {
    RestoreJob listener = new RestoreJob();
    KafkaStreams streams = Application.of(task);
    streams.setGlobalStateRestoreListener(listener);
    double cpuMs = Cost.cpuMs();
    double startedAtMs = Cost.elapsedMs();
    streams.start();
    while (!Application.isRestored(streams, task)) Thread.sleep(LOOK_MS);
    double untilRunningMs = Cost.elapsedMs() - startedAtMs;
    System.out.println("""
        {"entries":%d,"restoreMs":%.3f,"untilRunningMs":%.3f,"cpuMs":%.3f}"""
        .formatted(listener.restored.get(), listener.spanMs(), untilRunningMs, Cost.cpuMs() - cpuMs));
    RunJob.untilInputEnds();
    Application.close(streams, task);
    return "{\"running\":false}";
  }

  @Override
  public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
    firstStartNs.accumulateAndGet(System.nanoTime(), Math::min);
  }

  /** Counted here: a task that is taken back and given again while it restores says at its end only what came after that. */
  @Override
  public void onBatchRestored(TopicPartition partition, String store, long end, long records) {
    restored.addAndGet(records);
    lastEndNs.accumulateAndGet(System.nanoTime(), Math::max);
  }

  @Override
  public void onRestoreEnd(TopicPartition partition, String store, long records) {
    lastEndNs.accumulateAndGet(System.nanoTime(), Math::max);
  }

  private double spanMs() {
    return restored.get() == 0 ? 0 : (lastEndNs.get() - firstStartNs.get()) / 1e6;
  }
}
