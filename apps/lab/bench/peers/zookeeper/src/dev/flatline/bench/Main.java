package dev.flatline.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs one job, named on the command line, and prints what it measured as one line of JSON. */
public final class Main {
  private static final int WARM_UP_SESSIONS_MAX = 200_000;
  private static final int SESSIONS_PER_ROUND = 1_000_000;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> task = Arrays.stream(arguments)
        .map(each -> each.split("=", 2))
        .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    switch (task.get("job")) {
      case "tracker" -> tracker(task);
      case "server" -> SessionServer.run(task);
      case "leases" -> LeasesJob.run(task);
      default -> throw new IllegalArgumentException("no job " + task.get("job"));
    }
  }

  /** Measures the session tracker alone at one size. */
  private static void tracker(Map<String, String> task) throws Exception {
    int sessions = Integer.parseInt(task.get("timers"));
    int rounds = Integer.parseInt(task.get("rounds"));
    double bytesPerTimer = TrackerPass.bytesPerSession(sessions);
    int warmUp = Math.min(sessions, WARM_UP_SESSIONS_MAX);
    TrackerPass.times(warmUp, SESSIONS_PER_ROUND / warmUp);
    double[][] times = new double[rounds][];
    int repeats = Math.max(1, SESSIONS_PER_ROUND / sessions);
    for (int round = 0; round < rounds; round += 1) times[round] = TrackerPass.times(sessions, repeats);
    System.out.printf(
        "{\"insertNs\":%.2f,\"rearmNs\":%.2f,\"rearmEarlierNs\":%.2f,\"fireNs\":%.2f,\"bytesPerTimer\":%.1f}%n",
        median(times, 0), median(times, 1), median(times, 2), median(times, 3), bytesPerTimer);
    System.exit(0);
  }

  private static double median(double[][] times, int column) {
    double[] sorted = Arrays.stream(times).mapToDouble(each -> each[column]).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
