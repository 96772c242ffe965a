// The processor's facts, as the lines of `GET /api/v1/watch` have them (libs/shell/processor/src/watch/facts.ts).

export interface InstanceFact {
  readonly name: string;
  /** By the clock of its machine; milliseconds since 1970. */
  readonly wallMs: number;
}

export interface PipelineFact {
  readonly kind: string;
  /** One entry, in words. */
  readonly noun: string;
  /** Acts of an operator on its entries. */
  readonly acts: readonly string[];
  /** True of a kind that keeps statistics where its settings ask for them. */
  readonly hasStatistics: boolean;
  readonly inputTopic: string;
  readonly inputPartitions: number;
  readonly outputTopic: string;
  readonly timeoutMs?: number;
  readonly trouble?: string;
  /** Instances of its group, by name. */
  readonly members: readonly string[];
}

/** Number of delays up to this bound in milliseconds and above the one before; null: beyond the greatest. */
export type DelayBin = readonly [upToMs: number | null, count: number];

/** Sums over what one instance owns. */
export interface FiguresFact {
  readonly partitions: number;
  readonly standbys: number;
  readonly live: number;
  readonly lag: number;
  /** Records and ends since somebody watches. */
  readonly read: number;
  readonly ended: number;
  /** Since its tasks began there. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly delays: readonly DelayBin[];
  readonly deadLetters: number;
  readonly refused?: RefusedFact;
}

/** Since its tasks began there. */
export interface DeliveryFact {
  readonly endpoint: string;
  /** `open`: it fails, and is tried now and then. */
  readonly breaker: 'closed' | 'open' | 'disabled';
  readonly delivered: number;
  readonly attemptsFailed: number;
  readonly givenUp: number;
  readonly parked: number;
  readonly underWay: number;
  readonly ready: number;
}

export interface RefusedFact {
  readonly partition: number;
  readonly offset: number;
  readonly reason: string;
  readonly detail: string;
  readonly at: number;
}

export interface PartFact {
  /** Absent: neither it nor a standby of it is with an instance that answers. */
  readonly role?: 'owner' | 'standby';
  readonly owner: string | null;
  readonly standbys: readonly string[];
  readonly state: string;
  readonly detail?: string;
}

/** Standbys have the first three. */
export type NowFact = readonly [
  clock: number,
  live: number,
  lag: number | null,
  expiryLagMs?: number,
  commitFill?: number,
  nextDueAt?: number | null,
];

/** One line. */
export interface Message {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly gone?: readonly string[];
}
