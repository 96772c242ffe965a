package dev.flatline.bench;

import java.time.Duration;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** A session per key in a store, and a wall-clock punctuator that closes the silent ones: how it finds them is for others to say. */
abstract class SessionProcessor implements Processor<String, byte[], String, String> {
  static final String SESSIONS = "sessions";
  private static final String PROBE = "probe-";
  private final EventReader events;
  private final long timeoutMs;
  private final long probeTimeoutMs;
  private final long tickMs;
  private ProcessorContext<String, String> context;
  private KeyValueStore<String, Session> sessions;

  /**
   * By the task's {@code timeoutMs}, {@code probeTimeoutMs} (the silence that ends a session whose key begins with {@code
   * probe-}) and {@code tickMs} (between two looks at what is silent; 0: never, nothing is closed).
   */
  SessionProcessor(Task task) {
    events = EventReader.of(task);
    timeoutMs = task.number("timeoutMs");
    probeTimeoutMs = task.number("probeTimeoutMs", timeoutMs);
    tickMs = task.number("tickMs");
  }

  @Override
  public void init(ProcessorContext<String, String> context) {
    this.context = context;
    sessions = context.getStateStore(SESSIONS);
    if (tickMs > 0) context.schedule(Duration.ofMillis(tickMs), PunctuationType.WALL_CLOCK_TIME, this::closeSilent);
  }

  @Override
  public void process(Record<String, byte[]> beat) {
    // The input holds records without a key too: clock records of a processor that ran on it before.
    if (beat.key() == null) return;
    Session known = sessions.get(beat.key());
    Session alone = Session.first(events.read(beat.value()), beat.timestamp());
    sessions.put(beat.key(), known == null ? alone : known.merge(alone));
    if (known == null) opened(beat.key(), alone);
  }

  abstract void opened(String key, Session session);

  abstract void closeSilent(long now);

  final KeyValueStore<String, Session> sessions() {
    return sessions;
  }

  final long deadlineOf(String key, Session session) {
    return session.lastSeen() + timeoutOf(key);
  }

  final void close(String key, Session session, long now) {
    sessions.delete(key);
    context.forward(new Record<>(key, session.summary(key, timeoutOf(key)), now));
  }

  private long timeoutOf(String key) {
    return probeTimeoutMs != timeoutMs && key.startsWith(PROBE) ? probeTimeoutMs : timeoutMs;
  }
}
