// How late heartbeats take effect: asked of the broker, so that the question is the same for every contender. Under
// exactly-once processing a group's offsets are committed with the output of the records before them, or later: Flatline leaves
// them out of some commits that follow each other fast (R3), and its delays are then up to two commit intervals too long.
import type { DurationMs } from '@flatline/base';
import { GroupProgress, type GroupTopic, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { type Quantiles, quantilesOf } from './statistics.ts';

/** Bounds the error of a delay, which is never too small. */
const LOOK_MS: DurationMs = 25;

/** Ends of the log, and committed offsets, at one moment, by partition. */
export interface InputLook {
  readonly atMs: number;
  readonly ends: readonly number[];
  readonly committed: readonly number[];
}

export class InputWatch {
  readonly #looks: InputLook[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(connection: KafkaConnection, input: GroupTopic) {
    this.#running = this.#run(new GroupProgress({ clock: systemClock, connection }, input));
    // Reported when it is stopped.
    this.#running.catch(() => undefined);
  }

  /** @throws the error that ended the watch */
  async stop(): Promise<readonly InputLook[]> {
    this.#stop.abort();
    await this.#running;
    return this.#looks;
  }

  async #run(progress: GroupProgress): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#looks.push(await lookAtInput(progress));
      await delay(LOOK_MS);
    }
  }
}

/** Two requests where one broker leads: what they cost is charged to whoever is measured. */
export async function lookAtInput(progress: GroupProgress): Promise<InputLook> {
  // Committed first: the ends, asked later, can only be greater.
  const committed = await progress.committed();
  const atMs = performance.now();
  const ends = await progress.ends();
  return { atMs, ends, committed };
}

/**
 * For each look from `fromMs` to `toMs`, the time until everything then in the log was committed. Looks are spread over time,
 * and so are the percentiles; records never seen committed count until the last look.
 */
export function inputDelayOf(looks: readonly InputLook[], fromMs: number, toMs: number): Quantiles {
  const delays: DurationMs[] = [];
  let later = 0;
  for (const look of looks) {
    if (look.atMs < fromMs || look.atMs > toMs) continue;
    // Ends only grow: a commit that is too late for one look is too late for the next.
    while (later < looks.length - 1 && !covers(looks[later]!, look)) later += 1;
    delays.push(Math.max(0, looks[later]!.atMs - look.atMs));
  }
  return quantilesOf(delays);
}

function covers({ committed }: InputLook, { ends }: InputLook): boolean {
  return ends.every((end, partition) => committed[partition]! >= end);
}
