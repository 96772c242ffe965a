package dev.flatline.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The content of a session's events.
 *
 * @param firstEvent event time of the earliest, {@code lastEvent} of the latest (epoch milliseconds)
 * @param highest the highest sequence so far, or {@code Event.NONE}; a sequence that is not higher counts as a repetition
 * @param received how many had a sequence, repetitions left out
 * @param types how many of each type but {@code HEARTBEAT}
 */
record Detail(long firstEvent, long lastEvent, long highest, long received, Map<String, Long> types) {
  private static final int BYTES = 32;

  /** Null for an event that says nothing. */
  static Detail first(Event event, long at) {
    if (event == Event.BARE) return null;
    long time = event.occurredAt() == Event.NONE ? at : event.occurredAt();
    Map<String, Long> types = event.type().equals(Event.HEARTBEAT) ? Map.of() : Map.of(event.type(), 1L);
    return new Detail(time, time, event.sequence(), event.sequence() == Event.NONE ? 0 : 1, types);
  }

  /** True if an event's sequence has been seen, or lies below the window: the two are not told apart. */
  static boolean repeats(Detail known, Detail single) {
    return known != null && single != null && single.highest != Event.NONE && single.highest <= known.highest;
  }

  static Detail merge(Detail one, Detail other) {
    if (one == null) return other;
    if (other == null) return one;
    return new Detail(
        Math.min(one.firstEvent, other.firstEvent),
        Math.max(one.lastEvent, other.lastEvent),
        Math.max(one.highest, other.highest),
        one.received + other.received,
        sum(one.types, other.types));
  }

  private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
    if (other.isEmpty()) return one;
    if (one.isEmpty()) return other;
    Map<String, Long> sum = new TreeMap<>(one);
    other.forEach((type, count) -> sum.merge(type, count, Long::sum));
    return sum;
  }

  String summary() {
    StringBuilder counts = new StringBuilder();
    types.forEach((type, count) -> counts.append(counts.isEmpty() ? "" : ",").append('"').append(type).append("\":").append(count));
    return ",\"firstEventAt\":" + firstEvent + ",\"lastEventAt\":" + lastEvent + ",\"highestSequence\":" + highest
        + ",\"received\":" + received + ",\"countsByType\":{" + counts + "}";
  }

  /** Null where nothing follows. */
  static Detail of(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) return null;
    return new Detail(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong(), typesOf(bytes));
  }

  private static Map<String, Long> typesOf(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) return Map.of();
    Map<String, Long> types = new TreeMap<>();
    while (bytes.hasRemaining()) {
      byte[] type = new byte[bytes.getShort()];
      bytes.get(type);
      types.put(new String(type, StandardCharsets.UTF_8), bytes.getLong());
    }
    return types;
  }

  int length() {
    int length = BYTES;
    for (String type : types.keySet()) length += Short.BYTES + utf8(type).length + Long.BYTES;
    return length;
  }

  void write(ByteBuffer bytes) {
    bytes.putLong(firstEvent).putLong(lastEvent).putLong(highest).putLong(received);
    types.forEach((type, count) -> {
      byte[] text = utf8(type);
      bytes.putShort((short) text.length).put(text).putLong(count);
    });
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
