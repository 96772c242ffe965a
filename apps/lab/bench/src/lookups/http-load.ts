// Requests over keep-alive connections: as fast as they are answered, or at a rate, whatever the answers take.
//
// Whoever writes to a socket on loopback pays for waking the reader, a third of what a small answer takes, and only where the reader
// waits: a server that is faster than its client would seem cheaper than it is, and a slower one dearer. Where CPU is measured the
// client rests for REST_MS between its looks and never waits on a socket, so no write has to wake it.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { KeepAlive } from './keep-alive.ts';

export interface Asked {
  readonly address: string;
  readonly path: string;
  /** JSON that is posted. Default: it is a GET. */
  readonly body?: string;
}

/** Between two looks for requests that are due, which are sent in one piece: what they wait for that is in their delays. */
const PACE_MS: DurationMs = 1;
/** Between two looks at the answers. A server should need longer for the requests under way, or it has nothing to do meanwhile. */
const REST_MS: DurationMs = 2;
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));
/** Requests without an answer at a time: a server that is farther behind is not asked more. */
const AHEAD_MAX = 2_000;

export interface Paced {
  readonly durations: readonly DurationMs[];
  /** Without an answer to the question: 503, none at all, or not sent, since too many waited. */
  readonly unsaid: number;
}

export class HttpLoad {
  readonly #connections = new Map<string, KeepAlive>();

  /** The body, once it is whole. @throws Error where the status is none of those wanted */
  async ask({ address, path, body }: Asked, wanted: readonly number[] = [200]): Promise<string> {
    const { status, text } = await this.#connectionsTo(address).ask(path, body);
    if (wanted.includes(status)) return text;
    throw new Error(`${body === undefined ? 'GET' : 'POST'} ${path}: ${status} ${text.slice(0, 500)}`);
  }

  #connectionsTo(address: string): KeepAlive {
    let connections = this.#connections.get(address);
    if (connections === undefined) {
      const { hostname, port } = new URL(address);
      connections = new KeepAlive(hostname, Number(port));
      this.#connections.set(address, connections);
    }
    return connections;
  }

  /** Keeps `atOnce` requests under way until `count` are answered. */
  async closed(count: number, atOnce: number, nth: (index: number) => Asked): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) await this.ask(nth(next++));
    };
    const rest = (): void => {
      Atomics.wait(NEVER_WOKEN, 0, 0, REST_MS);
      resting = setImmediate(rest);
    };
    let resting = setImmediate(rest);
    try {
      await Promise.all(Array.from({ length: atOnce }, lane));
    } finally {
      clearImmediate(resting);
    }
  }

  /** At that rate, for that long. Durations from when each was due, so that one that had to wait for others counts that. */
  async paced(perSecond: number, forMs: DurationMs, nth: (index: number) => Asked): Promise<Paced> {
    let unsaid = 0;
    const durations: DurationMs[] = [];
    const asked: Promise<void>[] = [];
    const startedAt = performance.now();
    let sent = 0;
    while (performance.now() - startedAt < forMs) {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
      for (; sent < due; sent += 1) {
        if (sent - unsaid - durations.length >= AHEAD_MAX) {
          unsaid += 1;
          continue;
        }
        const dueAt = startedAt + (1_000 * (sent + 1)) / perSecond;
        asked.push(
          this.ask(nth(sent)).then(
            () => {
              durations.push(performance.now() - dueAt);
            },
            () => {
              unsaid += 1;
            },
          ),
        );
      }
      await delay(PACE_MS);
    }
    await Promise.all(asked);
    return { durations, unsaid };
  }

  close(): void {
    for (const connections of this.#connections.values()) connections.close();
  }
}
