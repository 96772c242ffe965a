package dev.flatline.bench;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** What is kept of a session: when it was first and last heard of (epoch milliseconds), and how often. */
record Session(long firstSeen, long lastSeen, long count) {
  static final Serde<Session> SERDE = Serdes.serdeFrom(
      (topic, session) -> session == null ? null : session.bytes(),
      (topic, bytes) -> bytes == null ? null : of(ByteBuffer.wrap(bytes)));

  static Session first(long at) {
    return new Session(at, at, 1);
  }

  Session beat(long at) {
    return new Session(firstSeen, Math.max(lastSeen, at), count + 1);
  }

  Session merge(Session other) {
    return new Session(
        Math.min(firstSeen, other.firstSeen), Math.max(lastSeen, other.lastSeen), count + other.count);
  }

  String summary(Object key, long timeoutMs) {
    return "{\"sessionId\":\"" + key + "\",\"startedAt\":" + firstSeen + ",\"lastSeenAt\":" + lastSeen
        + ",\"deadlineAt\":" + (lastSeen + timeoutMs) + ",\"eventCount\":" + count + "}";
  }

  private static Session of(ByteBuffer bytes) {
    return new Session(bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  private byte[] bytes() {
    return ByteBuffer.allocate(24).putLong(firstSeen).putLong(lastSeen).putLong(count).array();
  }
}
