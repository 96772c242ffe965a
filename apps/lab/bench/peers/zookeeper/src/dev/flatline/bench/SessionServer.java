package dev.flatline.bench;

import java.io.File;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper's own server, alone and durable as it is by default. Says where it is, and runs until its input ends. */
final class SessionServer {
  /** Expiries are rounded up to it. */
  private static final int TICK_MS = 1_000;
  private static final int TIMEOUT_MAX_MS = 3_600_000;
  private static final int BACKLOG = 4_096;
  private static final int ANY_NUMBER = 0;

  private SessionServer() {}

  static void run(Map<String, String> task) throws Exception {
    File folder = new File(task.get("folder"));
    ZooKeeperServer server = new ZooKeeperServer(new File(folder, "snapshots"), new File(folder, "log"), TICK_MS);
    server.setMinSessionTimeout(TICK_MS);
    server.setMaxSessionTimeout(TIMEOUT_MAX_MS);
    ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
    connections.configure(new InetSocketAddress("127.0.0.1", 0), ANY_NUMBER, BACKLOG);
    connections.startup(server);
    System.out.printf("{\"port\":%d}%n", connections.getLocalPort());
    while (System.in.read() >= 0) {
      // Nothing is said to it.
    }
    System.exit(0);
  }
}
