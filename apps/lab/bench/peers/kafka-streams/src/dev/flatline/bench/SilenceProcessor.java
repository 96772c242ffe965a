package dev.flatline.bench;

import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;

/** Looks at all sessions. */
final class SilenceProcessor extends SessionProcessor {
  SilenceProcessor(Task task) {
    super(task);
  }

  @Override
  void opened(String key, Session session) {}

  @Override
  void closeSilent(long now) {
    try (KeyValueIterator<String, Session> all = sessions().all()) {
      while (all.hasNext()) {
        KeyValue<String, Session> each = all.next();
        if (deadlineOf(each.key, each.value) <= now) close(each.key, each.value, now);
      }
    }
  }
}
