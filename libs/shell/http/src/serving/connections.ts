// Connections of one port: how many there are, and which one goes where there would be too many.
//
// Owns: the sockets that are open, and which of them have been let in.
// Does not own: who is let in.
//
// Invariants
//   CN1  At most `max` are open, and so many more that STRANGERS_MIN strangers always have room. One more has the stranger go that
//        came first: whoever only holds sockets open holds them against others like him, and keeps no caller out.
//   CN2  A stranger that is let in stays one no more, until it closes.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RawSockets } from './raw-sockets.ts';

/** Strangers for whom there is room whatever callers hold: a kubelet has no token, and ends a process that does not answer it. */
const STRANGERS_MIN = 8;

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
    // Beyond `max` it stays one that goes first.
    if (this.#letIn.size >= this.#max) return;
    if (this.#strangers.delete(raw)) this.#letIn.add(raw);
  }

  /** CN1. */
  #take(socket: Socket): void {
    if (this.#strangers.size + this.#letIn.size >= this.#max && this.#strangers.size >= STRANGERS_MIN) {
      const [first] = this.#strangers;
      this.#strangers.delete(first!);
      first!.destroy();
    }
    this.#strangers.add(socket);
    socket.once('close', () => {
      this.#strangers.delete(socket);
      this.#letIn.delete(socket);
    });
  }
}
