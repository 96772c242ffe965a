// A TCP proxy before one broker, to break what passes through it at a chosen byte.
import { createServer, connect, type Socket } from 'node:net';

export interface TcpProxy {
  readonly address: { readonly host: string; readonly port: number };
  /** Connections accepted so far. */
  readonly accepted: () => number;
  /** The broker's bytes stop after `bytes` more; then the connection is closed, or left open in silence. */
  readonly cutAfter: (bytes: number, then: 'close' | 'silence') => void;
  /** Lets everything of new connections through again. */
  readonly heal: () => void;
  readonly close: () => void;
}

export function openProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  let left = Infinity;
  let ending: 'close' | 'silence' = 'close';
  const server = createServer((client) => {
    accepted += 1;
    const broker = connect(port, host);
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.on('data', (bytes) => broker.write(bytes));
    client.on('close', () => broker.destroy());
    broker.on('data', (bytes) => {
      const passed = bytes.subarray(0, Math.min(bytes.length, left));
      left -= passed.length;
      client.write(passed);
      if (left === 0 && ending === 'close') client.end();
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no TCP address');
      resolve({
        address: { host: '127.0.0.1', port: address.port },
        accepted: () => accepted,
        cutAfter: (bytes, then) => {
          left = bytes;
          ending = then;
        },
        heal: () => {
          left = Infinity;
        },
        close: () => {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}
