package dev.flatline.bench;

import java.time.Duration;
import org.apache.kafka.streams.KafkaStreams;

/** Runs until nobody is left who asked for it: until the end of its standard input. */
final class RunJob {
  private static final long LOOK_MS = 5;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(20);

  private RunJob() {}

  static String run(Task task) throws Exception {
    KafkaStreams streams = Application.of(task);
    streams.start();
    while (streams.state() != KafkaStreams.State.RUNNING) Thread.sleep(LOOK_MS);
    System.out.println("{\"running\":true}");
    while (System.in.read() >= 0) {
      // Nothing is said there but the end.
    }
    streams.close(CLOSE_MAX);
    return "{\"running\":false}";
  }
}
