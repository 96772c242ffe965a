package dev.flatline.bench;

import static org.apache.kafka.streams.kstream.Suppressed.BufferConfig.unbounded;

import java.time.Duration;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindowedKStream;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** The ways in which users of Kafka Streams see that a session has ended. */
final class Variants {
  private Variants() {}

  static Topology topology(Task task) {
    return switch (task.text("variant")) {
      case "session-windows" -> sessionWindows(task);
      case "session-windows-on-close" -> sessionWindowsOnClose(task);
      case "punctuator" -> scan(task, Stores.persistentKeyValueStore(SessionProcessor.SESSIONS));
      case "in-memory" -> scan(task, Stores.inMemoryKeyValueStore(SessionProcessor.SESSIONS));
      case "deadlines" -> deadlines(task, Stores::inMemoryKeyValueStore);
      case "deadlines-rocksdb" -> deadlines(task, Stores::persistentKeyValueStore);
      default -> throw new IllegalArgumentException("no variant is called " + task.text("variant"));
    };
  }

  private static Topology sessionWindows(Task task) {
    StreamsBuilder builder = new StreamsBuilder();
    summaries(
        task,
        windows(task, builder)
            .reduce(Session::merge, Materialized.with(Serdes.String(), Session.SERDE))
            .suppress(Suppressed.untilWindowCloses(unbounded())));
    return builder.build();
  }

  /**
   * The replacement for suppress in newer versions (KIP-825). With the retention it has by default it loses sessions that are
   * closed late: it gets twice the timeout.
   */
  private static Topology sessionWindowsOnClose(Task task) {
    Duration retention = Duration.ofMillis(2 * task.number("timeoutMs"));
    StreamsBuilder builder = new StreamsBuilder();
    summaries(
        task,
        windows(task, builder)
            .emitStrategy(EmitStrategy.onWindowClose())
            .reduce(
                Session::merge,
                Materialized.<String, Session, SessionStore<Bytes, byte[]>>with(Serdes.String(), Session.SERDE)
                    .withRetention(retention)));
    return builder.build();
  }

  private static SessionWindowedKStream<String, Session> windows(Task task, StreamsBuilder builder) {
    return builder.stream(task.text("topic"), Consumed.with(Serdes.String(), Serdes.ByteArray()))
        // Clock records, which a processor that ran on this input left there.
        .filter((key, beat) -> key != null)
        .processValues(() -> new SingleSession(EventReader.of(task)))
        .groupByKey(Grouped.with(Serdes.String(), Session.SERDE))
        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofMillis(task.number("timeoutMs"))));
  }

  private static void summaries(Task task, KTable<Windowed<String>, Session> closed) {
    long timeoutMs = task.number("timeoutMs");
    closed
        .toStream((window, session) -> window.key())
        .mapValues((key, session) -> session.summary(key, timeoutMs))
        .to(task.text("output"), Produced.with(Serdes.String(), Serdes.String()));
  }

  private static Topology scan(Task task, KeyValueBytesStoreSupplier supplier) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(sessions(supplier));
    return processed(task, builder, () -> new SilenceProcessor(task), SessionProcessor.SESSIONS);
  }

  /** A deadline is written once and deleted once: there is nothing for a cache to hold together. */
  private static Topology deadlines(Task task, Function<String, KeyValueBytesStoreSupplier> store) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(sessions(store.apply(SessionProcessor.SESSIONS)));
    builder.addStateStore(Stores.keyValueStoreBuilder(
        store.apply(DeadlineProcessor.DEADLINES), Serdes.Bytes(), Serdes.ByteArray()));
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
