package dev.flatline.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.function.IntSupplier;

/**
 * Sessions of ZooKeeper, each on the connection that it has to have, all in one thread. ZooKeeper's own client would take two
 * threads for each; the three messages of the protocol that matter here are written by hand.
 */
final class SessionClients {
  private static final int PASSWORD_BYTES = 16;
  private static final int CONNECT_BYTES = 49;
  /** The answer: length, version, timeout, session, password with its length, read-only. */
  private static final int CONNECTED_BYTES = 41;
  private static final int PING = 11;
  private static final int PING_ID = -2;
  /** The answer: length, id, transaction, error. */
  private static final int PONG_BYTES = 20;
  private static final int CONNECTED_AWAITED = 500 * CONNECTED_BYTES;
  private static final int PONGS_AWAITED = 5_000 * PONG_BYTES;
  private static final int LOOK_MS = 50;
  private static final long SEED = 20_260_101;

  private final InetSocketAddress server;
  private final SocketChannel[] channels;
  /** Bytes of answers that each still waits for. */
  private final int[] awaited;
  private final Selector selector = Selector.open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private final ByteBuffer ping = ByteBuffer.allocateDirect(12).putInt(8).putInt(PING_ID).putInt(PING).flip();
  private final Random random = new Random(SEED);
  private long awaitedByAll;
  private int ended;
  private long lastEndAt;
  private int firstThatMayEnd;

  SessionClients(int port, int count) throws IOException {
    server = new InetSocketAddress("127.0.0.1", port);
    channels = new SocketChannel[count];
    awaited = new int[count];
  }

  /** Sessions that have ended, as their connections say. */
  int ended() {
    return ended;
  }

  /** By the wall clock. */
  long lastEndAt() {
    return lastEndAt;
  }

  void open(int from, int to, IntSupplier timeoutMs) throws IOException {
    firstThatMayEnd = to;
    for (int session = from; session < to; session += 1) {
      channels[session] = SocketChannel.open(server);
      channels[session].setOption(StandardSocketOptions.TCP_NODELAY, true);
      channels[session].configureBlocking(false);
      channels[session].register(selector, SelectionKey.OP_READ, session);
      ByteBuffer request = ByteBuffer.allocate(CONNECT_BYTES);
      request.putInt(CONNECT_BYTES - 4).putInt(0).putLong(0).putInt(timeoutMs.getAsInt()).putLong(0);
      request.putInt(PASSWORD_BYTES).put(new byte[PASSWORD_BYTES]).put((byte) 0);
      send(session, request.flip(), CONNECTED_BYTES, CONNECTED_AWAITED);
    }
    settle();
  }

  /** Pings random ones of the first sessions so many times, and returns once all are answered. */
  void touch(int count, int sessions) throws IOException {
    for (int touch = 0; touch < count; touch += 1)
      send(random.nextInt(sessions), ping.duplicate(), PONG_BYTES, PONGS_AWAITED);
    settle();
  }

  /** Waits until so many from that one on have ended, or until then by the wall clock. */
  void awaitEnds(int first, int count, long until) throws IOException {
    firstThatMayEnd = first;
    while (ended < count && System.currentTimeMillis() < until) look();
  }

  private void send(int session, ByteBuffer request, int answerBytes, long awaitedMax) throws IOException {
    channels[session].write(request);
    if (request.hasRemaining()) throw new IOException("a connection takes no more");
    awaited[session] += answerBytes;
    awaitedByAll += answerBytes;
    while (awaitedByAll >= awaitedMax) look();
  }

  private void settle() throws IOException {
    while (awaitedByAll > 0) look();
  }

  private void look() throws IOException {
    selector.select(key -> read((int) key.attachment(), key), LOOK_MS);
  }

  private void read(int session, SelectionKey key) {
    int bytes = readBytes(session);
    if (bytes < 0) {
      if (session < firstThatMayEnd) throw new IllegalStateException("session " + session + " has ended too early");
      key.cancel();
      ended += 1;
      lastEndAt = System.currentTimeMillis();
      return;
    }
    awaited[session] -= bytes;
    awaitedByAll -= bytes;
    if (awaited[session] < 0) throw new IllegalStateException("an answer is longer than expected");
  }

  private int readBytes(int session) {
    try {
      return channels[session].read(buffer.clear());
    } catch (IOException error) {
      return -1; // reset: the server has closed it
    }
  }
}
