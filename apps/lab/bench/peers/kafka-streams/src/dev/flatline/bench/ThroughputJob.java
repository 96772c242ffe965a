package dev.flatline.bench;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Processes what lies in the input until all is committed, or until time is up. The cost is of what comes after a warm-up of so
 * many records, or of so much time where that is less; 0: from the first record processed.
 */
final class ThroughputJob {
  private static final long FIRST_LOOK_MS = 5;
  private static final long LOOK_MS = 20;

  private ThroughputJob() {}

  static String run(Task task) throws Exception {
    KafkaStreams streams = Application.of(task);
    try (Progress progress = new Progress(task, streams)) {
      Map<TopicPartition, Long> ends = progress.ends();
      long all = sum(ends);
      streams.start();
      while (progress.processed() == 0) Thread.sleep(FIRST_LOOK_MS);
      double giveUpAtMs = Cost.elapsedMs() + task.number("runMaxMs");
      double warmAtMs = Cost.elapsedMs() + task.number("warmUpMs");
      while (progress.processed() < task.number("warmUpRecords") && Cost.elapsedMs() < warmAtMs) Thread.sleep(LOOK_MS);
      Map<TopicPartition, Long> committed = progress.committed();
      long before = sum(committed);
      double cpuMs = Cost.cpuMs();
      double startedAtMs = Cost.elapsedMs();
      while (!committed.equals(ends) && Cost.elapsedMs() < giveUpAtMs) {
        Thread.sleep(LOOK_MS);
        // Asked only near the end: the question costs CPU too.
        if (progress.processed() >= all || Cost.elapsedMs() >= giveUpAtMs) committed = progress.committed();
      }
      double spentMs = Cost.elapsedMs() - startedAtMs;
      long endedAt = System.currentTimeMillis();
      cpuMs = Cost.cpuMs() - cpuMs;
      String answer = """
          {"records":%d,"elapsedMs":%.3f,"endedAt":%d,"cpuMs":%.3f,"peakRssBytes":%d,"rssBytes":%d,"stopped":%b}"""
          .formatted(
              sum(committed) - before, spentMs, endedAt, cpuMs, Cost.residentBytes("VmHWM"), Cost.residentBytes("VmRSS"),
              !committed.equals(ends));
      Application.close(streams, task);
      return answer;
    }
  }

  private static long sum(Map<TopicPartition, Long> offsets) {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }
}
