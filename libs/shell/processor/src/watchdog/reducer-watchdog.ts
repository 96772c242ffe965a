// Ends the process where a function of the application does not return (S10): synchronous code cannot be stopped from within its
// thread, and until it returns nothing of the process goes on, neither another partition nor a timer.
//
// Owns: a thread that looks on, the memory in which calls are noted.
// Does not own: what is called.
//
// Invariants
//   PD1  Looks are counted, not time: a process that was paused for an hour, and its looker-on with it, has missed all looks.
import { Worker } from 'node:worker_threads';
import { assert, type DurationMs } from '@flatline/base';
import type { ReducerWatch } from '@flatline/kinds/reducing';
import { LOOKER_ON } from './looker-on.ts';
import {
  CALL,
  MEMORY_BYTES,
  NUMBERS_AT,
  OFFSET,
  PARTITION,
  PLACE,
  PLACE_BYTES,
  PLACES_AT,
  PLACES_MAX,
  STOPPED,
} from './memory.ts';

/** A call that so many looks have found is given up: some 15 s, and longer on a machine that hardly gets to look. */
const LOOKS_MAX = 60;
const LOOK_EVERY_MS: DurationMs = 250;

export interface WatchdogOptions {
  /** Default: so that a call has some 15 s. */
  readonly lookEveryMs?: DurationMs;
}

const utf8 = new TextEncoder();

export class ReducerWatchdog {
  readonly #memory = new SharedArrayBuffer(MEMORY_BYTES);
  readonly #flags = new Int32Array(this.#memory);
  readonly #numbers = new Float64Array(this.#memory, NUMBERS_AT);
  readonly #worker: Worker;
  #places = 0;

  constructor({ lookEveryMs = LOOK_EVERY_MS }: WatchdogOptions = {}) {
    const workerData = { memory: this.#memory, lookEveryMs, looksMax: LOOKS_MAX };
    // Options of this process, `--input-type` among them, would have the text read as something else.
    this.#worker = new Worker(LOOKER_ON, { eval: true, workerData, execArgv: [] });
    this.#worker.unref();
  }

  /** For calls that are made for records of that topic, by a pipeline of that name. */
  of(pipeline: string, topic: string): ReducerWatch {
    const place = this.#places;
    assert(place < PLACES_MAX, 'the pipelines of a process that have reducers have so many inputs at most', { place });
    this.#places += 1;
    const text = utf8.encode(JSON.stringify({ pipeline, topic }));
    new Uint8Array(this.#memory, PLACES_AT + place * PLACE_BYTES, PLACE_BYTES).set(text);
    const [flags, numbers] = [this.#flags, this.#numbers];
    return {
      enter: (partition, offset) => {
        flags[PLACE] = place;
        flags[PARTITION] = partition;
        numbers[OFFSET] = offset;
        Atomics.add(flags, CALL, 1);
      },
      leave: () => {
        Atomics.add(flags, CALL, 1);
      },
    };
  }

  async close(): Promise<void> {
    Atomics.store(this.#flags, STOPPED, 1);
    Atomics.notify(this.#flags, STOPPED);
    await this.#worker.terminate();
  }
}
