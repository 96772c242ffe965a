package dev.flatline.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** CPU time of a server's process, and of this one, from its making on. */
final class CpuSpan {
  private static final OperatingSystemMXBean OWN = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  /** The unit of /proc, the same on every Linux there is. */
  private static final int TICK_MS = 10;

  private final Path stat;
  private final long fromNs = System.nanoTime();
  private final long serverMs;
  private final long ownNs = OWN.getProcessCpuTime();

  CpuSpan(int serverPid) throws IOException {
    stat = Path.of("/proc", Integer.toString(serverPid), "stat");
    serverMs = serverMs();
  }

  /** As JSON. */
  String end() throws IOException {
    return String.format(
        Locale.ROOT,
        "{\"elapsedMs\":%.1f,\"serverCpuMs\":%d,\"clientCpuMs\":%.1f}",
        (System.nanoTime() - fromNs) / 1e6, serverMs() - serverMs, (OWN.getProcessCpuTime() - ownNs) / 1e6);
  }

  private long serverMs() throws IOException {
    String text = Files.readString(stat);
    // The second field is a name in brackets that may hold spaces; user and system time are the 14th and 15th.
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
    return TICK_MS * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
  }
}
