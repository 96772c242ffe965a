package dev.flatline.e2e;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.common.Time;
import org.apache.zookeeper.server.ExpiryQueue;
import org.apache.zookeeper.server.SessionTracker.Session;
import org.apache.zookeeper.server.SessionTracker.SessionExpirer;
import org.apache.zookeeper.server.SessionTrackerImpl;

/**
 * Takes ZooKeeper's SessionTrackerImpl through a history, and prints each session that expires with its bucket's end.
 *
 * <p>Arguments: the length of a bucket, a file. A line of it: an instant in ms, what happens, the session's id, and its timeout.
 */
public final class TrackerHistory implements SessionExpirer {
  private final SessionTrackerImpl tracker;
  private final ExpiryQueue<?> queue;
  private final Map<Long, Long> bucketOf = new HashMap<>();

  private TrackerHistory(int bucketMs) throws ReflectiveOperationException {
    tracker = new SessionTrackerImpl(this, new ConcurrentHashMap<>(), bucketMs, 1, (who, exitCode) -> System.exit(1));
    Field field = SessionTrackerImpl.class.getDeclaredField("sessionExpiryQueue");
    field.setAccessible(true);
    queue = (ExpiryQueue<?>) field.get(tracker);
  }

  public static void main(String[] arguments) throws Exception {
    TrackerHistory history = null;
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      String[] words = line.split(" ");
      Time.set(Long.parseLong(words[0]));
      if (history == null) history = new TrackerHistory(Integer.parseInt(arguments[0]));
      history.expireDue();
      history.happens(words[1], Long.parseLong(words[2]), Integer.parseInt(words[3]));
    }
    System.exit(0);
  }

  @Override
  public void expire(Session session) {
    System.out.println(session.getSessionId() + " " + bucketOf.get(session.getSessionId()));
    tracker.removeSession(session.getSessionId());
  }

  @Override
  public long getServerId() {
    return 1;
  }

  /** Does the work of the tracker's thread, which sleeps by the real clock. */
  private void expireDue() {
    tracker.getSessionExpiryMap().forEach((bucket, ids) -> ids.forEach(id -> bucketOf.put(id, bucket)));
    while (queue.getWaitTime() == 0) {
      for (Object expired : queue.poll()) {
        Session session = (Session) expired;
        tracker.setSessionClosing(session.getSessionId());
        expire(session);
      }
    }
  }

  private void happens(String what, long id, int timeoutMs) {
    switch (what) {
      case "create" -> tracker.trackSession(id, timeoutMs);
      case "touch" -> tracker.touchSession(id, timeoutMs);
      case "close" -> tracker.removeSession(id);
      default -> { }
    }
  }
}
