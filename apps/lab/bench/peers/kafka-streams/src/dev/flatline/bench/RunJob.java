package dev.flatline.bench;

import java.io.IOException;
import org.apache.kafka.streams.KafkaStreams;

/** Runs until the end of its standard input, which is the end of the process that started it. */
final class RunJob {
  private static final long LOOK_MS = 5;

  private RunJob() {}

  static String run(Task task) throws Exception {
    KafkaStreams streams = Application.of(task);
    streams.start();
    while (!Application.isRestored(streams, task)) Thread.sleep(LOOK_MS);
    System.out.println("{\"running\":true}");
    untilInputEnds();
    Application.close(streams, task);
    return "{\"running\":false}";
  }

  static void untilInputEnds() throws IOException {
    while (System.in.read() >= 0) {
      // Nothing is said there but the end.
    }
  }
}
