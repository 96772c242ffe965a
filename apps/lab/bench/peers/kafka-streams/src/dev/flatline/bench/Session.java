package dev.flatline.bench;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A session's state: when it was first and last heard of (epoch milliseconds), how often, and the content of its events.
 *
 * @param detail null where all of them were bare
 */
record Session(long firstSeen, long lastSeen, long count, Detail detail) {
  static final Serde<Session> SERDE = Serdes.serdeFrom(
      (topic, session) -> session == null ? null : session.bytes(),
      (topic, bytes) -> bytes == null ? null : of(ByteBuffer.wrap(bytes)));
  private static final int BYTES = 24;

  /** The session of a single event. */
  static Session first(Event event, long at) {
    return new Session(at, at, 1, Detail.first(event, at));
  }

  Session merge(Session other) {
    long first = Math.min(firstSeen, other.firstSeen);
    long last = Math.max(lastSeen, other.lastSeen);
    if (other.count == 1 && Detail.repeats(detail, other.detail)) return new Session(first, last, count, detail);
    return new Session(first, last, count + other.count, Detail.merge(detail, other.detail));
  }

  String summary(Object key, long timeoutMs) {
    return "{\"sessionId\":\"" + key + "\",\"startedAt\":" + firstSeen + ",\"lastSeenAt\":" + lastSeen
        + ",\"deadlineAt\":" + (lastSeen + timeoutMs) + ",\"eventCount\":" + count
        + (detail == null ? "" : detail.summary()) + "}";
  }

  private static Session of(ByteBuffer bytes) {
    return new Session(bytes.getLong(), bytes.getLong(), bytes.getLong(), Detail.of(bytes));
  }

  private byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES + (detail == null ? 0 : detail.length()));
    bytes.putLong(firstSeen).putLong(lastSeen).putLong(count);
    if (detail != null) detail.write(bytes);
    return bytes.array();
  }
}
