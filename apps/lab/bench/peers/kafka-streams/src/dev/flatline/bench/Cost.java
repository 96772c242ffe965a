package dev.flatline.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU and memory of this process, all its threads: the JVM's own, those of its compilers and collectors too. */
final class Cost {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private Cost() {}

  static double cpuMs() {
    return SYSTEM.getProcessCpuTime() / 1e6;
  }

  static double elapsedMs() {
    return System.nanoTime() / 1e6;
  }

  /** {@code VmHWM} is the peak, {@code VmRSS} the present; 0 where the platform does not tell. */
  static long residentBytes(String field) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) return 0;
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}
