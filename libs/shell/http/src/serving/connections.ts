// Connections of one port: how many there are, and which one goes where there would be too many.
//
// Owns: the sockets that are open, and which of them have been let in.
// Does not own: who is let in.
//
// Invariants
//   CN1  At most `max` are open. One more has the stranger go that came first; where there is none, it goes itself: whoever only
//        holds sockets open holds them against others like him, and keeps no caller out.
//   CN2  A stranger that is let in stays one no more, until it closes.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RawSockets } from './raw-sockets.ts';

export class Connections {
  readonly #max: number;
  readonly #raw: RawSockets;
  /** In the order in which they came. */
  readonly #strangers = new Set<Duplex>();
  readonly #letIn = new Set<Duplex>();
  readonly #known = new WeakSet<Duplex>();

  constructor(server: Server, raw: RawSockets, max: number) {
    this.#max = max;
    this.#raw = raw;
    server.on('connection', (socket: Socket) => {
      this.#take(socket);
    });
  }

  /** CN2. */
  letIn(socket: Duplex): void {
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    const raw = this.#raw.below(socket);
    if (this.#strangers.delete(raw)) this.#letIn.add(raw);
  }

  /** CN1. */
  #take(socket: Socket): void {
    if (this.#strangers.size + this.#letIn.size >= this.#max) {
      const [first] = this.#strangers;
      if (first === undefined) {
        socket.destroy();
        return;
      }
      this.#strangers.delete(first);
      first.destroy();
    }
    this.#strangers.add(socket);
    socket.once('close', () => {
      this.#strangers.delete(socket);
      this.#letIn.delete(socket);
    });
  }
}
