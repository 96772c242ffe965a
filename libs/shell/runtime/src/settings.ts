import type { Clock, DurationMs, Millis } from '@flatline/base';
import type { HeldTimeRules } from '@flatline/kinds';
import type { PipelineKind } from '@flatline/kinds';
import type { Routing } from '@flatline/kinds/routing';
import type { InputRules } from '@flatline/partition';
import type { LogAdmin, LogReader, Membership, ProofWriter, StateStores, TransactionalWriters } from '@flatline/ports';

/**
 * Where a partition without any state begins to read its input: at its first record, behind its last one, or at the first
 * record stamped at or past an instant (behind the last one where there is none).
 */
export type StartFrom = 'earliest' | 'latest' | { readonly timestamp: Millis };

/** One pipeline as its tasks need it: names and options, validated by the configuration. */
export interface PipelineSettings {
  readonly name: string;
  /** Kind of its entries, noted beside each group offset: a start as another kind is refused. Default: not noted. */
  readonly kind?: string;
  /** Epoch of tokens. Noted there, too, unless it is 0: a start of leases with a lower one is refused (L3). */
  readonly tokenEpoch?: number;
  /** Name of this instance, as operators read it. */
  readonly owner: string;
  readonly group: string;
  readonly inputTopic: string;
  /** Partitions the input has: a key's partition follows from it, so it may not change under an application's state (R3). */
  readonly inputPartitions: number;
  /** Further topics, partitioned as the first, whose records are read with its own as one (S8). Default: none. */
  readonly furtherInputs?: readonly FurtherInput[];
  readonly outputTopic: string;
  readonly changelogTopic: string;
  readonly deadLetterTopic: string;
  /** The dead-letter topic's max.message.bytes: what does not fit is truncated (I1). */
  readonly letterBytesMax: number;
  readonly transactionalId: (partition: number) => string;
  readonly input: InputRules;
  /** Most that entries, keys and states of one partition may count (I7). Default: what fits one. */
  readonly maxStateBytes?: number | undefined;
  /** Default: nothing is held (C8). */
  readonly heldTime?: HeldTimeRules;
  readonly tickMs: DurationMs;
  /** Longest wait of changed state for its commit. */
  readonly commitIntervalMs: DurationMs;
  /** The changelog elects no unclean leaders: not each commit needs the group's offset (R3). Default: it may. */
  readonly electsCleanly?: boolean | undefined;
  /** Longest wait of a close, while the task keeps up and commits are quick. */
  readonly closeDelayMs: DurationMs;
  /** Due entries of a task that take effect in a second (D2); undefined: as many as can. */
  readonly maxDuePerSecond?: number | undefined;
  /** At most one clock record (C2), or request for the end (C3), per partition in this time; four while each closes something. */
  readonly proofIntervalMs: DurationMs;
  /** For an input that may not be written (C3). Default: the log proves its silence by clock records (C2). */
  readonly proofByFetch?: { readonly clockSkewMs: DurationMs };
  /** A probe goes the whole way once in this time (Q5). Default: none does. */
  readonly probeIntervalMs?: DurationMs;
  readonly startFrom: StartFrom;
  /** Time for which a task that has moved away runs on if it is not fenced. */
  readonly handoverMs: DurationMs;
  /** When a partition that stopped for what may be mended on the brokers first tries again by itself. Default: never. */
  readonly stoppedRetryMs?: DurationMs;
  /** Time for which a leaving instance runs on, so that its successors can restore meanwhile. */
  readonly drainMs: DurationMs;
  readonly changelogFactor: number;
  /** The version of the changelog's format that is written (K9). Default: the newest. */
  readonly changelogFormat?: number | undefined;
  /** Records of other topics that outputs bring about (P3). Default: none. */
  readonly routing?: Routing | undefined;
  /** The topics to which it leads, each with the partition count by which it does. Default: none is looked at. */
  readonly routedPartitions?: ReadonlyMap<string, number> | undefined;
  /** The pipeline's rules as a checker has to know them, written to the changelog (K1). Default: none. */
  readonly rulesText?: string | undefined;
  /** A floor must be in force this long, or while this many bytes are written, before the log is truncated below it (K4). */
  readonly truncateLagMs: DurationMs;
  readonly truncateLagBytes: number;
}

export interface FurtherInput {
  readonly topic: string;
  readonly rules: InputRules;
}

/** The adapters of one pipeline. */
export interface PipelinePorts {
  readonly clock: Clock;
  readonly input: LogReader;
  /** A reader of its own: a restore must not wait behind the input's long poll. */
  readonly changelog: LogReader;
  readonly writers: TransactionalWriters;
  readonly proofs: ProofWriter;
  readonly admin: LogAdmin;
  readonly stores: StateStores;
  readonly membership: Membership;
  readonly kind: PipelineKind;
  readonly entropy: Entropy;
  readonly turns: Turns;
  readonly log: RuntimeLog;
}

/** Runs `callback` after timers, sockets and the other tasks have had their turn. */
export type Turns = (callback: () => void) => void;

/** Where ids and hash seeds come from: the system's randomness, or a simulation's seed. */
export interface Entropy {
  /** A fresh id of at least 64 random bits, in characters safe in headers and logs. */
  id(): string;
  /** 32 random bits. */
  seed(): number;
}

export interface RuntimeLog {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}
