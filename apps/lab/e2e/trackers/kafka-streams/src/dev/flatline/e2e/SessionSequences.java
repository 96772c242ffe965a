package dev.flatline.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.Stores;

/**
 * Session windows of Kafka Streams on events read from a file, in two ways: as a table, whose last value of a window stands (lines
 * "T key start end count"), and as a user has them emitted, once the window closes (lines "F …"). A line "C" stands
 * before those of each settings.
 *
 * The file: "C timeoutMs graceMs" begins a new topology with these settings, "key timestamp" is an event. The inactivity gap is a millisecond
 * less than the timeout: Kafka Streams joins at exactly the gap.
 */
public final class SessionSequences {
  private static final String INPUT = "events";

  public static void main(String[] args) throws IOException {
    try (BufferedReader events = Files.newBufferedReader(Path.of(args[0]));
        PrintStream out = new PrintStream(System.out, false)) {
      TopologyTestDriver driver = null;
      TestInputTopic<String, String> input = null;
      Map<Windowed<String>, Long> table = null;
      for (String line = events.readLine(); line != null; line = events.readLine()) {
        String[] words = line.split(" ");
        if (words[0].equals("C")) {
          close(driver, table, out);
          out.println("C");
          table = new HashMap<>();
          driver = open(Long.parseLong(words[1]), Long.parseLong(words[2]), table, out);
          input = driver.createInputTopic(INPUT, new StringSerializer(), new StringSerializer());
        } else {
          driver.advanceWallClockTime(Duration.ofMillis(1));
          input.pipeInput(words[0], "", Instant.ofEpochMilli(Long.parseLong(words[1])));
        }
      }
      close(driver, table, out);
    }
  }

  private static TopologyTestDriver open(
      long timeoutMs, long graceMs, Map<Windowed<String>, Long> table, PrintStream out) {
    StreamsBuilder builder = new StreamsBuilder();
    SessionWindows windows =
        SessionWindows.ofInactivityGapAndGrace(Duration.ofMillis(timeoutMs - 1), Duration.ofMillis(graceMs));
    var grouped = builder
        .stream(INPUT, Consumed.with(Serdes.String(), Serdes.String()))
        .groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
    SessionWindowedKStream<String, String> sessions = grouped.windowedBy(windows);
    // Just as long as an event may still join it: with the default, a millisecond less, what comes in the last one is split off.
    var kept = Stores.inMemorySessionStore("kept", Duration.ofMillis(timeoutMs + graceMs));
    sessions
        .count(Materialized.<String, Long>as(kept).withKeySerde(Serdes.String()).withCachingDisabled())
        .toStream()
        .foreach((window, count) -> {
          if (count == null) table.remove(window);
          else table.put(window, count);
        });
    sessions
        .emitStrategy(EmitStrategy.onWindowClose())
        .count(Materialized.with(Serdes.String(), Serdes.Long()))
        .toStream()
        .foreach((window, count) -> say(out, 'F', window, count));
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "sequences");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
    settings.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION, 0L);
    return new TopologyTestDriver(builder.build(), settings, Instant.EPOCH);
  }

  private static void close(TopologyTestDriver driver, Map<Windowed<String>, Long> table, PrintStream out) {
    if (driver == null) return;
    driver.close();
    table.forEach((window, count) -> say(out, 'T', window, count));
    out.flush();
  }

  private static void say(PrintStream out, char mark, Windowed<String> window, Long count) {
    out.println(mark + " " + window.key() + " " + window.window().start() + " " + window.window().end() + " " + count);
  }

  private SessionSequences() {}
}
