// Keys that wait for one other instance go in one request (Q1), whoever asked for them.
//
// Owns: the keys that wait, and how many requests are under way to each instance.
// Does not own: a request (askInstance), what becomes of its answers.
//
// Invariants
//   FW1  A key is asked for after it was waited for: what is to be proved (`proof=now`) is proved for whoever waits.
//   FW2  At most UNDER_WAY_MAX requests are under way to an instance for one kind of question; what comes meanwhile waits for the next.
//   FW3  While one is under way, what comes waits for its answer, or until TOGETHER_MS after the last was sent, or until a request is
//        full: a request costs as much as a dozen keys.
import type { Clock, DurationMs } from '@flatline/base';
import type { EntryAnswer } from './entry-answer.ts';
import type { Asking } from './here.ts';
import { KEYS_MAX } from './key-chunks.ts';

/** One that waits for a commit holds up no other for long (TOGETHER_MS). */
const UNDER_WAY_MAX = 8;
/** Longer than an owner that answers at once takes, and short beside the wait for a commit. */
const TOGETHER_MS: DurationMs = 3;

type AskInstance = (endpoint: string, group: string, asking: Asking) => Promise<readonly EntryAnswer[]>;

interface Waiting {
  readonly keys: readonly Uint8Array[];
  readonly resolve: (answers: readonly EntryAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  readonly send: (keys: readonly Uint8Array[]) => Promise<readonly EntryAnswer[]>;
  readonly waiting: Waiting[];
  waitingKeys: number;
  underWay: number;
  /** Monotonic; when the last request was sent. */
  sentAtMs: DurationMs;
  isQueued: boolean;
  /** The end of TOGETHER_MS is waited for. */
  isTimed: boolean;
}

export class Forwarding {
  readonly #askInstance: AskInstance;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly #lanes = new Map<string, Lane>();

  constructor(askInstance: AskInstance, clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.#askInstance = askInstance;
    this.#clock = clock;
  }

  /** @throws where the instance does not answer in time */
  ask(endpoint: string, group: string, { pipeline, keys, isNow }: Asking): Promise<readonly EntryAnswer[]> {
    const name = `${endpoint} ${group} ${pipeline} ${isNow}`;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      const send: Lane['send'] = (of) => this.#askInstance(endpoint, group, { pipeline, keys: of, isNow });
      lane = { send, waiting: [], waitingKeys: 0, underWay: 0, sentAtMs: -Infinity, isQueued: false, isTimed: false };
      this.#lanes.set(name, lane);
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly EntryAnswer[]>();
    lane.waiting.push({ keys, resolve, reject });
    lane.waitingKeys += keys.length;
    this.#look(name, lane);
    return promise;
  }

  /** Sends what waits once the requests that came together have all been read, or as late as FW3 says. */
  #look(name: string, lane: Lane): void {
    if (lane.isQueued || lane.waitingKeys === 0 || lane.underWay >= UNDER_WAY_MAX) return;
    const waitMs = waitOf(lane, this.#clock.monotonicMs());
    if (waitMs > 0) this.#lookAfter(waitMs, name, lane);
    else {
      lane.isQueued = true;
      setImmediate(() => {
        lane.isQueued = false;
        this.#sendAll(name, lane);
      });
    }
  }

  #lookAfter(waitMs: DurationMs, name: string, lane: Lane): void {
    if (lane.isTimed) return;
    lane.isTimed = true;
    this.#clock.after(waitMs, () => {
      lane.isTimed = false;
      this.#look(name, lane);
    });
  }

  #sendAll(name: string, lane: Lane): void {
    do void this.#send(name, lane);
    while (lane.waitingKeys >= KEYS_MAX && lane.underWay < UNDER_WAY_MAX);
    this.#look(name, lane);
  }

  /** Never rejects. */
  async #send(name: string, lane: Lane): Promise<void> {
    const taken = takeFrom(lane.waiting);
    for (const { keys } of taken) lane.waitingKeys -= keys.length;
    lane.underWay += 1;
    lane.sentAtMs = this.#clock.monotonicMs();
    try {
      const answers = await lane.send(taken.flatMap(({ keys }) => keys));
      let from = 0;
      for (const { keys, resolve } of taken) {
        resolve(answers.slice(from, from + keys.length));
        from += keys.length;
      }
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
    lane.underWay -= 1;
    if (lane.waitingKeys > 0) this.#look(name, lane);
    else if (lane.underWay === 0 && !lane.isQueued) this.#lanes.delete(name);
  }
}

/** FW3. 0: what waits is sent now. */
function waitOf({ underWay, waitingKeys, sentAtMs }: Lane, nowMs: DurationMs): DurationMs {
  if (underWay === 0 || waitingKeys >= KEYS_MAX) return 0;
  return Math.max(0, sentAtMs + TOGETHER_MS - nowMs);
}

/** Takes out those that go in one request, one at least. */
function takeFrom(waiting: Waiting[]): readonly Waiting[] {
  let keys = 0;
  let count = 0;
  for (const each of waiting) {
    keys += each.keys.length;
    if (count > 0 && keys > KEYS_MAX) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
