// Keys that wait for one other instance go in one request (Q1), whoever asked for them.
//
// Owns: the keys that wait, and how many requests are under way to each instance.
// Does not own: a request (askInstance), what becomes of its answers.
//
// Invariants
//   FW1  A key is asked for after it was waited for: what is to be proved (`proof=now`) is proved for whoever waits.
//   FW2  At most UNDER_WAY_MAX requests are under way to an instance for one kind of question; what comes meanwhile waits for the next.
import type { EntryAnswer } from './entry-answer.ts';
import type { Asking } from './here.ts';
import { KEYS_MAX } from './key-chunks.ts';

/** One that waits for a commit holds up no other. */
const UNDER_WAY_MAX = 4;

type AskInstance = (endpoint: string, group: string, asking: Asking) => Promise<readonly EntryAnswer[]>;

interface Waiting {
  readonly keys: readonly Uint8Array[];
  readonly resolve: (answers: readonly EntryAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  readonly send: (keys: readonly Uint8Array[]) => Promise<readonly EntryAnswer[]>;
  waiting: Waiting[];
  underWay: number;
  isQueued: boolean;
}

export class Forwarding {
  readonly #askInstance: AskInstance;
  readonly #lanes = new Map<string, Lane>();

  constructor(askInstance: AskInstance) {
    this.#askInstance = askInstance;
  }

  /** @throws where the instance does not answer in time */
  ask(endpoint: string, group: string, { pipeline, keys, isNow }: Asking): Promise<readonly EntryAnswer[]> {
    const name = `${endpoint} ${group} ${pipeline} ${isNow}`;
    const lane = this.#lanes.get(name) ?? {
      send: (of) => this.#askInstance(endpoint, group, { pipeline, keys: of, isNow }),
      waiting: [],
      underWay: 0,
      isQueued: false,
    };
    this.#lanes.set(name, lane);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ keys, resolve, reject });
      this.#queue(name, lane);
    });
  }

  /** Once the requests that came together have all been read. */
  #queue(name: string, lane: Lane): void {
    if (lane.isQueued || lane.underWay >= UNDER_WAY_MAX) return;
    lane.isQueued = true;
    setImmediate(() => {
      lane.isQueued = false;
      while (lane.waiting.length > 0 && lane.underWay < UNDER_WAY_MAX) void this.#send(name, lane);
    });
  }

  /** Never rejects. */
  async #send(name: string, lane: Lane): Promise<void> {
    const taken = takeFrom(lane.waiting);
    lane.underWay += 1;
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
    if (lane.waiting.length > 0) this.#queue(name, lane);
    else if (lane.underWay === 0) this.#lanes.delete(name);
  }
}

/** Those that go in one request, one at least; the others stay. */
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
