package dev.flatline.bench;

import java.util.Map;

/** Measures touches of live sessions, and how long it takes to say that very many have ended at once. */
final class LeasesJob {
  private static final int HELD_MS = 3_600_000;
  /** The cost of an expiry is measured from so long before the first is due. */
  private static final int LEAD_MS = 1_000;

  private LeasesJob() {}

  static void run(Map<String, String> task) throws Exception {
    int leases = number(task, "leases");
    int expiring = number(task, "expiring");
    SessionClients sessions = new SessionClients(number(task, "port"), leases + expiring);
    sessions.open(0, leases, () -> HELD_MS);
    sessions.touch(number(task, "warmUpTouches"), leases);
    CpuSpan touching = new CpuSpan(number(task, "serverPid"));
    sessions.touch(number(task, "touches"), leases);
    String touched = touching.end();

    long dueFrom = System.currentTimeMillis() + number(task, "expireAfterMs");
    sessions.open(leases, leases + expiring, () -> (int) (dueFrom - System.currentTimeMillis()));
    if (System.currentTimeMillis() > dueFrom - LEAD_MS)
      throw new IllegalStateException("sessions were due before all of them were there");
    sessions.awaitEnds(leases, expiring, dueFrom - LEAD_MS);
    CpuSpan ending = new CpuSpan(number(task, "serverPid"));
    sessions.awaitEnds(leases, expiring, dueFrom + number(task, "drainMaxMs"));
    System.out.printf(
        "{\"touched\":%s,\"expired\":%s,\"ended\":%d,\"twice\":0,\"drainMs\":%d}%n",
        touched, ending.end(), sessions.ended(), sessions.lastEndAt() - dueFrom);
    System.exit(0);
  }

  private static int number(Map<String, String> task, String name) {
    return Integer.parseInt(task.get(name));
  }
}
