package dev.flatline.bench;

import static org.apache.kafka.streams.kstream.Suppressed.BufferConfig.unbounded;

import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** The ways in which users of Kafka Streams see that a session has ended. */
final class Variants {
  private Variants() {}

  static Topology topology(Task task) {
    return switch (task.text("variant")) {
      case "session-windows" -> sessionWindows(task);
      case "punctuator" -> scan(task, Stores.persistentKeyValueStore(SessionProcessor.SESSIONS));
      case "in-memory" -> scan(task, Stores.inMemoryKeyValueStore(SessionProcessor.SESSIONS));
      case "deadlines" -> deadlines(task);
      default -> throw new IllegalArgumentException("no variant is called " + task.text("variant"));
    };
  }

  private static Topology sessionWindows(Task task) {
    long timeoutMs = task.number("timeoutMs");
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(task.text("topic"), Consumed.with(Serdes.String(), Serdes.ByteArray()))
        // Clock records, which a processor that ran on this input left there.
        .filter((key, beat) -> key != null)
        .processValues(() -> new SingleSession(EventReader.of(task)))
        .groupByKey(Grouped.with(Serdes.String(), Session.SERDE))
        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(timeoutMs)))
        .reduce(Session::merge, Materialized.with(Serdes.String(), Session.SERDE))
        .suppress(Suppressed.untilWindowCloses(unbounded()))
        .toStream((window, session) -> window.key())
        .mapValues((key, session) -> session.summary(key, timeoutMs))
        .to(task.text("output"), Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }

  private static Topology scan(Task task, KeyValueBytesStoreSupplier supplier) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(sessions(supplier));
    return processed(task, builder, () -> new SilenceProcessor(task), SessionProcessor.SESSIONS);
  }

  /** In memory. A deadline is written once and deleted once: there is nothing for a cache to hold together. */
  private static Topology deadlines(Task task) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(sessions(Stores.inMemoryKeyValueStore(SessionProcessor.SESSIONS)));
    builder.addStateStore(Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore(DeadlineProcessor.DEADLINES), Serdes.Bytes(), Serdes.ByteArray()));
    return processed(
        task, builder, () -> new DeadlineProcessor(task), SessionProcessor.SESSIONS, DeadlineProcessor.DEADLINES);
  }

  private static StoreBuilder<?> sessions(KeyValueBytesStoreSupplier supplier) {
    return Stores.keyValueStoreBuilder(supplier, Serdes.String(), Session.SERDE).withCachingEnabled();
  }

  private static Topology processed(
      Task task, StreamsBuilder builder, ProcessorSupplier<String, byte[], String, String> processor, String... stores) {
    builder.stream(task.text("topic"), Consumed.with(Serdes.String(), Serdes.ByteArray()))
        .process(processor, stores)
        .to(task.text("output"), Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }
}
