import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connections of a server as they were accepted: a request over TLS knows only the socket above that. */
export class RawSockets {
  /** By the other end, which only one open connection has. */
  readonly #byPeer = new Map<string, Socket>();
  readonly #below = new WeakMap<Duplex, Socket>();
  readonly #above = new WeakMap<Duplex, Duplex>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#byPeer.set(peer, socket);
      socket.once('close', () => {
        if (this.#byPeer.get(peer) === socket) this.#byPeer.delete(peer);
      });
    });
    server.on('secureConnection', (secured: Socket) => {
      const socket = this.#byPeer.get(peerOf(secured));
      if (socket === undefined) return;
      this.#below.set(secured, socket);
      this.#above.set(socket, secured);
    });
  }

  below(socket: Duplex): Duplex {
    return this.#below.get(socket) ?? socket;
  }

  /** The socket that requests know, of one as it was accepted. */
  above(socket: Duplex): Duplex {
    return this.#above.get(socket) ?? socket;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
