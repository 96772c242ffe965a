// Keys as one process answers for them by what it holds itself: its tasks, its standbys, what it knows of the group.
import { type Clock, type DurationMs, type KindName, partitionOf } from '@flatline/base';
import type { InstancePartitions } from '@flatline/ports';
import type { LookUp, LookUpHow, ShowEntry } from '@flatline/runtime';
import { entryFields } from './entry-json.ts';

/** Keys that are asked for. */
export interface Asking {
  readonly pipeline: string;
  readonly keys: readonly Uint8Array[];
  /** As of all that was acknowledged before the question (`proof=now`). */
  readonly isNow: boolean;
}

/** One pipeline of this process. */
export interface LookedPipeline {
  readonly name: string;
  readonly kind: KindName;
  readonly group: string;
  readonly inputPartitions: number;
  /** False: `input.partitioner` is `any`, and a key may lie anywhere. */
  readonly isKeyed: boolean;
  readonly instances: readonly InstancePartitions[];
  show: ShowEntry;
  lookUp(partition: number, key: Uint8Array, how: LookUpHow): Promise<LookUp>;
}

/** Answers for some keys, in their order. Plain data: a worker sends it to its supervisor. */
export interface HereAnswers {
  readonly kind: KindName;
  /** The pipeline's, by which instances know each other. */
  readonly group: string;
  readonly instance: string;
  readonly answers: readonly HereAnswer[];
  /** Reason that no key of the pipeline can be looked up; there are no answers then. */
  readonly refusal?: string;
}

export type HereAnswer = LookUp & {
  readonly partition: number;
  /** Who has the partition, and who stands by for it, as of the last assignment; undefined: the group knows none. */
  readonly owner: Holder | undefined;
  readonly standbys: readonly Holder[];
};

export interface Holder {
  readonly name: string;
  /** `http://host:port`; empty if it has none. */
  readonly endpoint: string;
}

/** A commit that covers an answer takes some milliseconds, or the brokers do not answer. */
const COMMITTED_WITHIN_MS: DurationMs = 1_500;
/** Keys of a process that wait for their commits at once. */
const WAITING_MAX = 20_000;

const UNKEYED =
  'input.partitioner is "any": a key may lie in any partition, so that none can be asked. flatline entries get reads them all';
const SLOW = { kind: 'restoring', detail: 'the commit that covers it has not come through yet' } as const;
const CROWDED = { kind: 'restoring', detail: `${WAITING_MAX} look-ups wait here already` } as const;

export class Here {
  readonly #instance: string;
  readonly #clock: Pick<Clock, 'after'>;
  #waiting = 0;

  constructor(instance: string, clock: Pick<Clock, 'after'>) {
    this.#instance = instance;
    this.#clock = clock;
  }

  async answer(pipeline: LookedPipeline, { keys, isNow }: Asking): Promise<HereAnswers> {
    const common = { kind: pipeline.kind, group: pipeline.group, instance: this.#instance };
    if (!pipeline.isKeyed) return { ...common, answers: [], refusal: UNKEYED };
    const answers = await Promise.all(keys.map((key) => this.#answerFor(pipeline, key, isNow)));
    return { ...common, answers };
  }

  async #answerFor(pipeline: LookedPipeline, key: Uint8Array, isNow: boolean): Promise<HereAnswer> {
    const partition = partitionOf(key, pipeline.inputPartitions);
    const { instances } = pipeline;
    const owner = instances.find(({ partitions }) => partitions.includes(partition));
    const standbys = instances.filter((each) => each.standbys.includes(partition));
    const found = this.#waiting < WAITING_MAX ? await this.#lookUp(pipeline, { partition, key, isNow }) : CROWDED;
    return { ...found, partition, owner: owner && holderOf(owner), standbys: standbys.map(holderOf) };
  }

  async #lookUp(
    pipeline: LookedPipeline,
    { partition, key, isNow }: { readonly partition: number; readonly key: Uint8Array; readonly isNow: boolean },
  ): Promise<LookUp> {
    this.#waiting += 1;
    const abandon = new AbortController();
    const cancel = this.#clock.after(COMMITTED_WITHIN_MS, () => {
      abandon.abort();
    });
    // A closed session that may still be revised is an entry, and lives no more (S9).
    const show: ShowEntry = (entry, place) =>
      pipeline
        .show(entry, place)
        .filter(({ state }) => state !== 'CLOSED')
        .map(entryFields);
    try {
      const found = await pipeline.lookUp(partition, key, { show, isNow, abandon: abandon.signal });
      return abandon.signal.aborted && found.kind !== 'found' ? SLOW : found;
    } finally {
      cancel();
      this.#waiting -= 1;
    }
  }
}

function holderOf({ name, endpoint }: InstancePartitions): Holder {
  return { name, endpoint };
}
