package dev.flatline.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.zookeeper.server.SessionTracker.Session;
import org.apache.zookeeper.server.SessionTracker.SessionExpirer;
import org.apache.zookeeper.server.SessionTrackerImpl;

/**
 * One pass over ZooKeeper's own SessionTrackerImpl, as a leader uses it: sessions are tracked and committed, touched, expired by
 * its thread and removed.
 *
 * <p>It reads the real clock, so the deadlines that expire lie within a few seconds and are all past when its thread starts: what
 * is timed is the draining of its buckets, not the waiting.
 */
final class TrackerPass implements SessionExpirer {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  /** ZooKeeper's default; expiries are rounded up to it. */
  private static final int TICK_MS = 3_000;
  private static final int BEAT_MS = 30_000;
  private static final int EARLIER_MS = 10_000;
  private static final int EXPIRY_SPREAD_MS = 6_000;
  private static final long SEED = 20_260_101;

  private final int sessions;
  private final int[] order;
  private final long first;
  private final SessionTrackerImpl tracker;
  private final CountDownLatch live;

  TrackerPass(int sessions) {
    this.sessions = sessions;
    order = shuffled(sessions);
    first = SessionTrackerImpl.initializeNextSessionId(1);
    tracker = new SessionTrackerImpl(this, new ConcurrentHashMap<>(), TICK_MS, 1, TrackerPass::onDeath);
    live = new CountDownLatch(sessions);
  }

  static double bytesPerSession(int sessions) {
    long before = heapBytes();
    TrackerPass pass = new TrackerPass(sessions);
    long order = 4L * sessions;
    pass.insert();
    pass.touch(BEAT_MS);
    double bytes = (double) (heapBytes() - before - order) / sessions;
    if (pass.tracker.getSessionExpiryMap().isEmpty()) throw new IllegalStateException("no session is tracked");
    return bytes;
  }

  /**
   * CPU nanoseconds per session of the whole process: insert, touch later, touch earlier, expire. Small sizes are repeated: the
   * CPU clock ticks in hundredths of a second.
   */
  static double[] times(int sessions, int repeats) throws InterruptedException {
    List<TrackerPass> passes = Stream.generate(() -> new TrackerPass(sessions)).limit(repeats).toList();
    double all = (double) sessions * repeats;
    double insert = timed(passes, TrackerPass::insert) / all;
    double later = timed(passes, pass -> pass.touch(BEAT_MS)) / all;
    double earlier = timed(passes, pass -> pass.touch(BEAT_MS - EARLIER_MS)) / all;
    passes.forEach(TrackerPass::touchLast);
    Thread.sleep(EXPIRY_SPREAD_MS + 2 * TICK_MS);
    return new double[] {insert, later, earlier, timed(passes, TrackerPass::expireAll) / all};
  }

  /** Called by the tracker's thread; what a server does once the close is committed. */
  @Override
  public void expire(Session session) {
    tracker.removeSession(session.getSessionId());
    live.countDown();
  }

  @Override
  public long getServerId() {
    return 1;
  }

  private static void onDeath(String who, int exitCode) {
    System.err.println(who + " has died");
    Runtime.getRuntime().halt(1);
  }

  private void insert() {
    for (int index = 0; index < sessions; index += 1) {
      tracker.trackSession(first + index, deadlineOf(index));
      tracker.commitSession(first + index, deadlineOf(index));
    }
  }

  private void touch(int byMs) {
    for (int index : order) tracker.touchSession(first + index, deadlineOf(index) + byMs);
  }

  private void touchLast() {
    for (int index : order) tracker.touchSession(first + index, 1 + deadlineOf(index) % EXPIRY_SPREAD_MS);
  }

  private void expireAll() {
    tracker.start();
    try {
      live.await();
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
    tracker.shutdown();
  }

  private static double timed(List<TrackerPass> passes, Consumer<TrackerPass> work) {
    long from = SYSTEM.getProcessCpuTime();
    passes.forEach(work);
    return SYSTEM.getProcessCpuTime() - from;
  }

  /** From now, in milliseconds, spread over 35 minutes: the same as in workload.ts. */
  private static int deadlineOf(int index) {
    return 1000 + ((index + 1) * 0x9e3779b1 >>> 11);
  }

  private static int[] shuffled(int count) {
    Random random = new Random(SEED);
    int[] order = new int[count];
    for (int at = 0; at < count; at += 1) order[at] = at;
    for (int at = count - 1; at > 0; at -= 1) {
      int other = random.nextInt(at + 1);
      int index = order[at];
      order[at] = order[other];
      order[other] = index;
    }
    return order;
  }

  private static long heapBytes() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
