// Keys as one process answers for them by what it holds itself: its tasks, its standbys, what it knows of the group.
import { type Clock, type DurationMs, type KindName, partitionOf } from '@flatline/base';
import type { InstancePartitions } from '@flatline/ports';
import type { LookUp, LookUpAtOnceHow, LookUpHow, ShowEntry } from '@flatline/runtime';
import { entryFields } from './entry-json.ts';
import { afterwards, type Prompt } from './prompt.ts';
import { ANSWER_WITHIN_MS } from './waits.ts';

/** Keys that are asked for. */
export interface Asking {
  readonly pipeline: string;
  readonly keys: readonly Uint8Array[];
  /** As of all that was acknowledged before the question (`proof=now`). */
  readonly isNow: boolean;
  /** Another instance asks, which waits no longer than ANSWER_WITHIN_MS. */
  readonly isForwarded?: boolean;
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
  /** undefined: it cannot be said at once. */
  lookAtOnce(partition: number, key: Uint8Array, how: LookUpAtOnceHow): LookUp | undefined;
  lookUp(partition: number, key: Uint8Array, how: LookUpHow): Promise<LookUp>;
}

/** Answers for some keys, in their order. Plain data: a worker sends it to its supervisor. */
export interface HereAnswers {
  readonly kind: KindName;
  /** The pipeline's group and its input's partition count, by which instances know each other. */
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
/**
 * For another instance, which asks for keys of several partitions together: sooner than it gives up, or one partition whose commit is
 * slow would leave it without an answer for all the others, too, and this instance would seem silent to it.
 */
const FORWARDED_WITHIN_MS: DurationMs = ANSWER_WITHIN_MS - 200;
/** Keys of a process that wait for their commits at once. */
const WAITING_MAX = 20_000;

const UNKEYED =
  'input.partitioner is "any": a key may lie in any partition, so that none can be asked. flatline sessions get, and get of the other kinds, reads them all';
const SLOW = { kind: 'restoring', detail: 'the commit that covers it has not come through yet' } as const;
const CROWDED = { kind: 'restoring', detail: `${WAITING_MAX} look-ups wait here already` } as const;

interface Asked {
  readonly key: Uint8Array;
  readonly how: LookUpAtOnceHow;
  /** By partition, as far as they were asked for. */
  readonly holders: Map<number, Holders>;
  /** Beyond, it is said that the commit that covers it has not come through. */
  readonly withinMs: DurationMs;
}

type Holders = Pick<HereAnswer, 'owner' | 'standbys'>;

export class Here {
  readonly #instance: string;
  readonly #clock: Pick<Clock, 'after'>;
  #waiting = 0;
  /** Who has a partition, by the list that says so: an assignment replaces it as a whole. */
  readonly #holders = new WeakMap<readonly InstancePartitions[], Map<number, Holders>>();

  constructor(instance: string, clock: Pick<Clock, 'after'>) {
    this.#instance = instance;
    this.#clock = clock;
  }

  /** Share of the look-ups that may wait at once. */
  get fill(): number {
    return this.#waiting / WAITING_MAX;
  }

  /** At once, where no key has to be waited for. */
  answer(pipeline: LookedPipeline, { keys, isNow, isForwarded = false }: Asking): Prompt<HereAnswers> {
    // By another partition count keys lie elsewhere: who knows the input by that is asked for none.
    const group = `${pipeline.group}/${pipeline.inputPartitions}`;
    const common = { kind: pipeline.kind, group, instance: this.#instance };
    if (!pipeline.isKeyed) return { ...common, answers: [], refusal: UNKEYED };
    // A closed session that may still be revised is an entry, and lives no more (S9).
    const show: ShowEntry = (entry, place) => {
      const fields = [];
      for (const shown of pipeline.show(entry, place)) if (shown['state'] !== 'CLOSED') fields.push(entryFields(shown));
      return fields;
    };
    const holders = this.#holdersBy(pipeline.instances);
    const how = { show, isNow };
    const withinMs = isForwarded && !isNow ? FORWARDED_WITHIN_MS : COMMITTED_WITHIN_MS;
    const answers = keys.map((key) => this.#answerFor(pipeline, { key, how, holders, withinMs }));
    const all = answers.every(isSaid) ? answers : Promise.all(answers.map((answer) => Promise.resolve(answer)));
    return afterwards(all, (said) => ({ ...common, answers: said }));
  }

  #answerFor(pipeline: LookedPipeline, asked: Asked): Prompt<HereAnswer> {
    const { key, how, holders } = asked;
    const partition = partitionOf(key, pipeline.inputPartitions);
    const known = holders.get(partition) ?? noteHolders(holders, pipeline.instances, partition);
    const found = pipeline.lookAtOnce(partition, key, how);
    if (found === undefined) return this.#waitFor(pipeline, asked, { partition, ...known });
    return answerOf(found, partition, known);
  }

  #holdersBy(instances: readonly InstancePartitions[]): Map<number, Holders> {
    const known = this.#holders.get(instances);
    if (known !== undefined) return known;
    const holders = new Map<number, Holders>();
    this.#holders.set(instances, holders);
    return holders;
  }

  async #waitFor(
    pipeline: LookedPipeline,
    asked: Asked,
    { partition, owner, standbys }: Holders & { readonly partition: number },
  ): Promise<HereAnswer> {
    const found = this.#waiting < WAITING_MAX ? await this.#lookUp(pipeline, partition, asked) : CROWDED;
    return answerOf(found, partition, { owner, standbys });
  }

  async #lookUp(pipeline: LookedPipeline, partition: number, { key, how, withinMs }: Asked): Promise<LookUp> {
    this.#waiting += 1;
    const abandon = new AbortController();
    const cancel = this.#clock.after(withinMs, () => {
      abandon.abort();
    });
    try {
      const found = await pipeline.lookUp(partition, key, { ...how, abandon: abandon.signal });
      return abandon.signal.aborted && found.kind !== 'found' ? SLOW : found;
    } finally {
      cancel();
      this.#waiting -= 1;
    }
  }
}

function isSaid(answer: Prompt<HereAnswer>): answer is HereAnswer {
  return !(answer instanceof Promise);
}

/** Named one by one: a spread of what may be of several forms costs several times as much, for each key. */
function answerOf(found: LookUp, partition: number, { owner, standbys }: Holders): HereAnswer {
  if (found.kind !== 'found') return { kind: found.kind, detail: found.detail, partition, owner, standbys };
  const { kind, entries, asOf, from, lag } = found;
  if (lag === undefined) return { kind, entries, asOf, from, partition, owner, standbys };
  return { kind, entries, asOf, from, lag, partition, owner, standbys };
}

function noteHolders(
  holders: Map<number, Holders>,
  instances: readonly InstancePartitions[],
  partition: number,
): Holders {
  const owner = instances.find(({ partitions }) => partitions.includes(partition));
  const standbys = instances.filter((each) => each.standbys.includes(partition)).map(holderOf);
  const found = { owner: owner && holderOf(owner), standbys };
  holders.set(partition, found);
  return found;
}

function holderOf({ name, endpoint }: InstancePartitions): Holder {
  return { name, endpoint };
}
