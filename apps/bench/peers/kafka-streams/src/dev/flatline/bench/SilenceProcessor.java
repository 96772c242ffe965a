package dev.flatline.bench;

import java.time.Duration;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** A session per key in a store, and a wall-clock punctuator that looks at all of them and closes the silent ones. */
final class SilenceProcessor implements Processor<String, byte[], String, String> {
  static final String STORE = "sessions";
  private static final String PROBE = "probe-";
  private final EventReader events;
  private final long timeoutMs;
  private final long probeTimeoutMs;
  private final long tickMs;
  private ProcessorContext<String, String> context;
  private KeyValueStore<String, Session> sessions;

  /**
   * @param probeTimeoutMs the silence that ends a session whose key begins with {@code probe-}
   * @param tickMs between two looks at all sessions; 0: never, nothing is closed
   */
  SilenceProcessor(EventReader events, long timeoutMs, long probeTimeoutMs, long tickMs) {
    this.events = events;
    this.timeoutMs = timeoutMs;
    this.probeTimeoutMs = probeTimeoutMs;
    this.tickMs = tickMs;
  }

  @Override
  public void init(ProcessorContext<String, String> context) {
    this.context = context;
    sessions = context.getStateStore(STORE);
    if (tickMs > 0) context.schedule(Duration.ofMillis(tickMs), PunctuationType.WALL_CLOCK_TIME, this::closeSilent);
  }

  @Override
  public void process(Record<String, byte[]> beat) {
    // The input holds records without a key too: clock records of a processor that ran on it before.
    if (beat.key() == null) return;
    Session known = sessions.get(beat.key());
    Session alone = Session.first(events.read(beat.value()), beat.timestamp());
    sessions.put(beat.key(), known == null ? alone : known.merge(alone));
  }

  private void closeSilent(long now) {
    try (KeyValueIterator<String, Session> all = sessions.all()) {
      while (all.hasNext()) {
        KeyValue<String, Session> each = all.next();
        long timeoutMs = timeoutOf(each.key);
        if (now - each.value.lastSeen() < timeoutMs) continue;
        sessions.delete(each.key);
        context.forward(new Record<>(each.key, each.value.summary(each.key, timeoutMs), now));
      }
    }
  }

  private long timeoutOf(String key) {
    return probeTimeoutMs != timeoutMs && key.startsWith(PROBE) ? probeTimeoutMs : timeoutMs;
  }
}
