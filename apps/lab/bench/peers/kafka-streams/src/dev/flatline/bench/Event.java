package dev.flatline.bench;

/**
 * The content of a record's value.
 *
 * @param type {@code HEARTBEAT} where it is left out
 * @param occurredAt event time, epoch milliseconds; {@code NONE}: the record's timestamp stands for it
 * @param sequence the producer's counter within the session, or {@code NONE}
 */
record Event(String type, long occurredAt, long sequence) {
  static final long NONE = -1;
  static final String HEARTBEAT = "HEARTBEAT";
  /** A heartbeat without a value. */
  static final Event BARE = new Event(HEARTBEAT, NONE, NONE);
}
