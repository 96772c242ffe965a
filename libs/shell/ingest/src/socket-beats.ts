// WebSockets as heartbeats: while one is open and its other end answers, its session lives. That it closes says nothing, since a
// browser that loses its network closes nothing: silence decides.
import type { Clock } from '@flatline/base';
import { RecordTooLarge } from '@flatline/kafka';
import type { IngestInput } from './ingest-input.ts';
import type { InputWriter } from './input-writer.ts';

/** The part of a socket of `ws` that is used. */
export interface BeatSocket {
  on(event: 'message', listener: (message: Buffer) => void): unknown;
  on(event: 'pong' | 'close' | 'error', listener: () => void): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
}

export interface SocketLimits {
  readonly clock: Clock;
  readonly socketsMax: number;
  readonly perSecondMax: number;
  readonly pingIntervalMs: number;
}

const HEARTBEAT = new Uint8Array(0);
/** RFC 6455: the server ends; a policy is violated; a message is too big; try again later. */
const GOING = 1001;
export const POLICY = 1008;
const TOO_BIG = 1009;
const TRY_LATER = 1013;

/** Where a socket's beats go. */
export interface Beats {
  readonly writer: Pick<InputWriter, 'write'>;
  readonly key: Uint8Array;
  readonly input: Pick<IngestInput, 'recordOf'>;
}

/** RFC 6455: what a closing frame holds beside its code. */
const REASON_BYTES_MAX = 123;
const CUT = '…';

/** With as much of the reason as there is room for. */
export function closeSocket(socket: Pick<BeatSocket, 'close'>, code: number, reason: string): void {
  let shown = reason;
  for (let length = REASON_BYTES_MAX; Buffer.byteLength(shown) > REASON_BYTES_MAX; length -= 1)
    shown = `${reason.slice(0, length)}${CUT}`;
  socket.close(code, shown);
}

export class SocketBeats {
  readonly #limits: SocketLimits;
  readonly #open = new Set<BeatSocket>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** Where the brokers do not acknowledge, the socket is closed, and its client connects again. */
  take(socket: BeatSocket, { writer, key, input }: Beats): void {
    const { clock, socketsMax, perSecondMax } = this.#limits;
    if (this.#open.size >= socketsMax) {
      closeSocket(socket, TRY_LATER, 'too many sockets (ingest.maxSockets)');
      return;
    }
    this.#open.add(socket);
    let second = 0;
    let taken = 0;
    const send = (value: Uint8Array | null): void => {
      const now = Math.floor(clock.monotonicMs() / 1_000);
      taken = now === second ? taken + 1 : 1;
      second = now;
      if (taken > perSecondMax) closeSocket(socket, POLICY, 'too many messages (ingest.maxPerSecond)');
      else
        writer.write({ key, value, headers: [] }).catch((error: unknown) => {
          if (error instanceof RecordTooLarge) closeSocket(socket, TOO_BIG, 'larger than the input topic takes');
          else closeSocket(socket, TRY_LATER, 'the brokers do not acknowledge');
        });
    };
    send(HEARTBEAT);
    const stopPings = this.#pings(socket);
    socket.on('pong', () => {
      send(HEARTBEAT);
    });
    socket.on('message', (message: Buffer) => {
      const record = input.recordOf({ value: message, headers: [], idempotencyKey: undefined }, clock.wallMs());
      if (typeof record === 'string') closeSocket(socket, POLICY, record);
      else send(record.value);
    });
    socket.on('close', () => {
      this.#open.delete(socket);
      stopPings();
    });
    // It closes after an error, and silence decides as after any close.
    socket.on('error', () => undefined);
  }

  close(): void {
    for (const socket of this.#open) closeSocket(socket, GOING, 'the server ends');
  }

  /** One that does not answer a ping before the next is gone. */
  #pings(socket: BeatSocket): () => void {
    const { clock, pingIntervalMs } = this.#limits;
    let isAlive = true;
    socket.on('pong', () => {
      isAlive = true;
    });
    const ping = (): void => {
      if (!isAlive) {
        socket.terminate();
        return;
      }
      isAlive = false;
      socket.ping();
      cancel = clock.after(pingIntervalMs, ping);
    };
    let cancel = clock.after(pingIntervalMs, ping);
    return () => {
      cancel();
    };
  }
}
