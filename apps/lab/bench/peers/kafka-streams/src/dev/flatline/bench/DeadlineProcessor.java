package dev.flatline.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Keeps sessions in a second store in the order of their deadlines, and looks only at those that are due.
 *
 * <p>A heartbeat leaves the deadline where it is: one that has beaten since is put behind when it is looked at, so that
 * each session costs the second store two writes in its life and one in each timeout.
 */
final class DeadlineProcessor extends SessionProcessor {
  static final String DEADLINES = "deadlines";
  private static final byte[] NOTHING = {};
  private KeyValueStore<Bytes, byte[]> deadlines;

  DeadlineProcessor(Task task) {
    super(task);
  }

  @Override
  public void init(ProcessorContext<String, String> context) {
    super.init(context);
    deadlines = context.getStateStore(DEADLINES);
  }

  @Override
  void opened(String key, Session session) {
    deadlines.put(place(deadlineOf(key, session), key), NOTHING);
  }

  @Override
  void closeSilent(long now) {
    try (KeyValueIterator<Bytes, byte[]> due = deadlines.range(null, place(now + 1, ""))) {
      while (due.hasNext()) look(due.next().key, now);
    }
  }

  private void look(Bytes place, long now) {
    deadlines.delete(place);
    String key = new String(place.get(), Long.BYTES, place.get().length - Long.BYTES, StandardCharsets.UTF_8);
    Session session = sessions().get(key);
    if (deadlineOf(key, session) <= now) close(key, session, now);
    else opened(key, session);
  }

  private static Bytes place(long deadline, String key) {
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return Bytes.wrap(ByteBuffer.allocate(Long.BYTES + name.length).putLong(deadline).put(name).array());
  }
}
