// The faults of a simulation: by chance, at rates, and on order, at a named place; and counts of those that really happened (V12: a
// world whose fault did not fire is invalid, not green).
//
// Owns: the rates, the orders not yet carried out, the counts.
// Does not own: carrying them out (Network, stores).
import { assert, type DurationMs, type Random } from '@flatline/base';

export type RequestKind =
  | 'InitProducerId'
  | 'AddPartitionsToTxn'
  | 'Produce'
  | 'AddOffsetsToTxn'
  | 'TxnOffsetCommit'
  | 'EndTxn'
  | 'ClockRecord'
  | 'Fetch'
  | 'Metadata'
  | 'FetchBatch'
  | 'ListOffsets'
  | 'OffsetForLeaderEpoch'
  | 'OffsetFetch'
  | 'OffsetCommit'
  | 'DeleteRecords'
  | 'DescribeProducers'
  | 'JoinGroup'
  | 'Heartbeat'
  | 'LeaveGroup';

/**
 * Fate of a request: `dropped` before the broker saw it; `answerDropped` after the broker carried it out; `late`: the sender gives up,
 * and it reaches the broker long afterwards.
 */
export type RequestFault = 'dropped' | 'answerDropped' | 'late';
/** The process dies: instead of sending; having sent; or when the broker has carried it out, before it can know. */
export type RequestCrash = 'crashBefore' | 'crashSent' | 'crashDone';
/** The process dies at one atomic step of the local store: instead of it, or right after it. */
export type WriteCrash = 'crashBefore' | 'crashAfter';
/** A call to a local store at which its device may fail. */
export type StoreCall = 'StoreOpen' | 'StoreScan' | 'StoreWrite' | 'StoreWipe' | 'StoreClose';
/** EIO, which may pass; or for good, like a file system remounted read-only. */
export type StoreFault = 'fails' | 'failsForGood';

export type Injection = {
  /** Only requests of this process; default: of any. */
  readonly host?: string;
  /** Matching occasions to let pass first; default: 0. */
  readonly skip?: number;
} & (
  | { readonly at: RequestKind; readonly fault: RequestFault | RequestCrash }
  | { readonly at: 'StoreWrite'; readonly fault: WriteCrash }
  | { readonly at: StoreCall; readonly fault: StoreFault }
  /** A subscription that has just got an answer gives up with Retriable. */
  | { readonly at: 'Subscription'; readonly fault: 'fails' }
);

export interface FaultRates {
  /** Chance per request, each. Fetches are retried by the reader itself; all others end in Retriable at their sender. */
  readonly dropped: number;
  readonly answerDropped: number;
  readonly late: number;
  /** A late request arrives after up to this long. */
  readonly lateMs: DurationMs;
  /** Chance per request, and per store write, that its process dies at it. */
  readonly requestCrash: number;
  readonly writeCrash: number;
  /** Chance per call to a local store that its device fails. */
  readonly storeFails: number;
  /** Chance that a request reaches the broker although its sender has died. */
  readonly sentSurvives: number;
  /** One way between a process and a broker: most messages take between these two, the slow ones up to `slowMs`. */
  readonly networkMs: readonly [least: number, most: number];
  readonly slow: number;
  readonly slowMs: DurationMs;
  /** Time until an append is replicated and so visible; `stalled` ones take up to `stallMs`. */
  readonly replicationMs: readonly [least: number, most: number];
  readonly stalled: number;
  readonly stallMs: DurationMs;
  /** Chance per fetch that the subscription gives up with Retriable. */
  readonly subscriptionFails: number;
}

/** A healthy cluster nearby: nothing is dropped or stalls, delays still vary. */
export const calm: FaultRates = {
  dropped: 0,
  answerDropped: 0,
  late: 0,
  lateMs: 20_000,
  requestCrash: 0,
  writeCrash: 0,
  storeFails: 0,
  sentSurvives: 0.5,
  networkMs: [0.1, 1],
  slow: 0,
  slowMs: 500,
  replicationMs: [0.1, 2],
  stalled: 0,
  stallMs: 30_000,
  subscriptionFails: 0,
};

/** Everything fails now and then; processes still make progress. Crashes are left to the caller, which restarts them. */
export const rough: FaultRates = {
  ...calm,
  dropped: 0.004,
  answerDropped: 0.004,
  late: 0.002,
  slow: 0.02,
  stalled: 0.002,
  subscriptionFails: 0.0005,
};

const requestFaults: readonly RequestFault[] = ['dropped', 'answerDropped', 'late'];
const storeFaults: readonly StoreFault[] = ['fails', 'failsForGood'];
const isStoreFault = (fault: Injection['fault']): fault is StoreFault => storeFaults.some((each) => each === fault);
const requestCrashes: readonly RequestCrash[] = ['crashBefore', 'crashSent', 'crashDone'];

interface Order {
  readonly injection: Injection;
  skip: number;
}

export class FaultPlan {
  readonly #random: Random;
  readonly #fired = new Map<string, number>();
  readonly #orders = new Set<Order>();
  #rates: FaultRates;
  #produceMs: readonly [least: number, most: number] | undefined;

  constructor(random: Random, rates: FaultRates = calm) {
    this.#random = random;
    this.#rates = rates;
  }

  get rates(): FaultRates {
    return this.#rates;
  }

  /** Applies from now on; a simulation ends with a calm phase, in which everything must come right (liveness after safety). */
  setRates(rates: FaultRates): void {
    this.#rates = rates;
  }

  /** Orders one fault at the next matching occasion. */
  inject(injection: Injection): void {
    this.#orders.add({ injection, skip: injection.skip ?? 0 });
  }

  /** Orders that have not been carried out yet. */
  pending(): Injection[] {
    return [...this.#orders].map((order) => order.injection);
  }

  /** Number of times each fault happened: `EndTxn/answerDropped`, `StoreWrite/crashAfter`, or a name given to `count`. */
  fired(): ReadonlyMap<string, number> {
    return this.#fired;
  }

  count(what: string): void {
    this.#fired.set(what, (this.#fired.get(what) ?? 0) + 1);
  }

  requestFate(kind: RequestKind, host: string): RequestFault | RequestCrash | undefined {
    const ordered = this.#take(kind, host);
    const fate = ordered === undefined ? this.#drawnRequestFate() : (ordered as RequestFault | RequestCrash);
    if (fate !== undefined) this.count(`${kind}/${fate}`);
    return fate;
  }

  writeFate(host: string): WriteCrash | undefined {
    const ordered = this.#take('StoreWrite', host, (fault) => !isStoreFault(fault)) as WriteCrash | undefined;
    const fate = ordered ?? this.#drawnWriteFate();
    if (fate !== undefined) this.count(`StoreWrite/${fate}`);
    return fate;
  }

  /** `isFailing`: every other call fails. */
  storeFate(call: StoreCall, host: string, isFailing: boolean): StoreFault | undefined {
    const ordered = this.#take(call, host, isStoreFault) as StoreFault | undefined;
    const fate = ordered ?? this.#drawnStoreFate(isFailing ? 0.5 : this.#rates.storeFails);
    if (fate !== undefined) this.count(`${call}/${fate}`);
    return fate;
  }

  networkDelayMs(): number {
    return this.#delay(this.#rates.networkMs, this.#rates.slow, this.#rates.slowMs);
  }

  replicationDelayMs(): number {
    return this.#delay(this.#rates.replicationMs, this.#rates.stalled, this.#rates.stallMs);
  }

  /** Delays each later produce request of a transaction at its broker; undefined: no delay, as at first. */
  slowProduces(produceMs: readonly [least: number, most: number] | undefined): void {
    this.#produceMs = produceMs;
  }

  produceDelayMs(): number {
    return this.#produceMs === undefined ? 0 : this.#delay(this.#produceMs, 0, 0);
  }

  lateDelayMs(): number {
    return this.#random.next() * this.#rates.lateMs;
  }

  subscriptionFails(host: string): boolean {
    const fails = this.#take('Subscription', host) !== undefined || this.#random.chance(this.#rates.subscriptionFails);
    if (fails) this.count('Subscription/fails');
    return fails;
  }

  sentSurvives(): boolean {
    return this.#random.chance(this.#rates.sentSurvives);
  }

  /** An even chance, for events that go either way in a healthy cluster too. */
  coin(): boolean {
    return this.#random.chance(0.5);
  }

  /** Uniform in [0, bound): for instance where a cut falls, or how much one answer holds. */
  below(bound: number): number {
    return this.#random.below(bound);
  }

  #delay([least, most]: readonly [number, number], slow: number, slowMs: DurationMs): number {
    assert(least <= most, 'the least delay is at most the most', { least, most });
    const isSlow = this.#random.chance(slow);
    return least + this.#random.next() * ((isSlow ? Math.max(slowMs, most) : most) - least);
  }

  #drawnRequestFate(): RequestFault | RequestCrash | undefined {
    for (const fault of requestFaults) if (this.#random.chance(this.#rates[fault])) return fault;
    if (this.#random.chance(this.#rates.requestCrash)) return requestCrashes[this.#random.below(3)];
    return undefined;
  }

  #drawnWriteFate(): WriteCrash | undefined {
    if (!this.#random.chance(this.#rates.writeCrash)) return undefined;
    return this.#random.chance(0.5) ? 'crashBefore' : 'crashAfter';
  }

  #drawnStoreFate(chance: number): StoreFault | undefined {
    if (!this.#random.chance(chance)) return undefined;
    return storeFaults[this.#random.below(storeFaults.length)];
  }

  #take(
    at: Injection['at'],
    host: string,
    isWanted: (fault: Injection['fault']) => boolean = () => true,
  ): Injection['fault'] | undefined {
    for (const order of this.#orders) {
      const { injection } = order;
      if (
        injection.at !== at ||
        !isWanted(injection.fault) ||
        (injection.host !== undefined && injection.host !== host)
      )
        continue;
      order.skip -= 1;
      if (order.skip >= 0) continue;
      this.#orders.delete(order);
      return injection.fault;
    }
    return undefined;
  }
}
