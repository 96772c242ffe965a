// Input of the checker: the logs of one partition, which a source delivers piece by piece.
import type { DurationMs, Millis } from '@flatline/base';
import type { SaidSettings } from './changelog-block.ts';

export interface LogRecord {
  readonly offset: number;
  readonly timestamp: Millis;
  /** True if the broker stamped it: only such stamps can be compared across topics. */
  readonly logAppendTime: boolean;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

export interface RawHeader {
  readonly name: string;
  readonly value: Uint8Array | null;
}

/** The fields of a value by name; one that is null or absent takes its default. */
export type EventFields = Readonly<Record<string, unknown>>;

/** A decoded event (docs/FORMATS.md, Input). */
export interface InputEvent {
  readonly type: string;
  readonly occurredAt: Millis | undefined;
  readonly eventId: string | undefined;
  readonly sequence: number | undefined;
  readonly timeoutMs: DurationMs | undefined;
  readonly attributes: ReadonlyMap<string, string> | undefined;
  /** Default: the unnamed source (S5). */
  readonly source?: string | undefined;
}

export interface InputRecord extends LogRecord {
  /** True if it has the header `flatline-clock`. */
  readonly hasClockHeader: boolean;
  /** Default: none. */
  readonly headers?: readonly RawHeader[];
  /** Session event in a value that is neither null nor empty; `bad` if there is none (I1). */
  readonly event: InputEvent | 'bad' | undefined;
  /** The same event as fields, for kinds that read others. Default: the fields of the JSON value. */
  readonly fields?: EventFields | 'bad' | undefined;
  /** True if its maker means it to fail although it decodes (I6). */
  readonly isRefused?: boolean;
  /** The number of its input, from 0 on (S8); `offset` is then its place. Default: the first. */
  readonly input?: number;
  /** The clock of its input before it, where there are several. Default: the partition's. */
  readonly clockBefore?: Millis;
  /** Set if this is not a record but a batch, from `offset` to here, whose records cannot be read (I1). */
  readonly lastOffset?: number | undefined;
}

export interface OutputRecord extends LogRecord {
  /** Default: unknown, and not judged. */
  readonly headers?: readonly RawHeader[];
  /** Value of the header `flatline-incarnation`. */
  readonly incarnation: string | undefined;
  /** The value as an object with the names of docs/FORMATS.md; undefined: null, or unreadable. */
  readonly summary: Readonly<Record<string, unknown>> | undefined;
}

export interface LetterRecord {
  readonly offset: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** The refused input record, and the reason; undefined: the letter is the note of a replay. */
  readonly subject: LetterSubject | undefined;
}

export interface LetterSubject {
  /** The input's; undefined: it does not say. */
  readonly topic?: string | undefined;
  readonly offset: number;
  readonly reason: string;
  /** Original lengths of key and value, where the letter does not hold them whole. */
  readonly keyBytes?: number | undefined;
  readonly valueBytes?: number | undefined;
  /** Set if the letter stands for a batch. */
  readonly lastOffset?: number | undefined;
}

/** A route as the changelog says it, and its function, where the configuration at hand has one. */
export interface NaiveRoute {
  readonly on?: readonly string[] | undefined;
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  readonly to: string;
  readonly key?: RouteText | undefined;
  readonly value?: RouteText | null | undefined;
  readonly headers?: Readonly<Record<string, RouteText | number>> | undefined;
  /** True where a function says key, value and headers. */
  readonly code?: boolean | undefined;
  readonly record?: ((output: RoutedOutput) => unknown) | undefined;
  /** The function's: it is at hand for what its own version has routed. */
  readonly version?: number | undefined;
}

export type RouteText =
  string | { readonly text: string } | { readonly at: string; readonly plusMs?: number | undefined };

/** An output as routes see it. */
export interface RoutedOutput {
  readonly key: string;
  readonly names: readonly string[];
  readonly output: Readonly<Record<string, unknown>>;
}

/** Which output brought a record about (P3): the record's number among those of a commit. */
export interface RouteOrigin {
  readonly group: string;
  readonly partition: number;
  readonly commit: number;
  readonly number: number;
}

/** A record of any topic, with all that it has. */
export interface WholeRecord extends LogRecord {
  readonly headers: readonly RawHeader[];
}

/** A record of a topic to which routes lead. */
export interface RoutedRecord extends LogRecord {
  readonly headers: readonly RawHeader[];
  /** undefined: no route brought it there. */
  readonly origin: RouteOrigin | undefined;
}

export interface RoutedHistory {
  /** The pipeline's, which names it. */
  readonly group: string;
  /** By topic, each of its partitions. Opened again for each partition of the pipeline. */
  readonly topics: ReadonlyMap<string, readonly LogSource<RoutedRecord>[]>;
  /** Topics from which the broker removes records that later ones of their keys replace. Default: none. */
  readonly compacted?: ReadonlySet<string> | undefined;
}

/** A batch in the log, whether its records count or not. */
export interface BatchMark {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** −1: not of an idempotent producer. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly transactional: boolean;
  /** Set on the batch that ends a transaction. */
  readonly marker: 'commit' | 'abort' | undefined;
}

export interface LogPart<R> {
  /** Records of committed transactions and outside transactions, in offset order. */
  readonly records: readonly R[];
  /** All batches of this stretch of the log, including aborted and control ones; sources of the input may leave them out. */
  readonly batches: readonly BatchMark[];
}

export interface OpenTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/** One log, read once from its log start to an end that the source chooses. */
export interface LogSource<R> {
  readonly topic: string;
  /** First offset in the log; above 0, the records below it are unknown. */
  readonly logStart: number;
  /** The next stretch; undefined at the end. */
  read(): Promise<LogPart<R> | undefined>;
  /** Transactions that have been open for longer than is allowed. Asked after the last `read`. */
  hanging(): Promise<readonly OpenTransaction[]>;
}

/** An entry of a local store (V8). */
export interface StoredEntry {
  readonly key: Uint8Array;
  readonly image: Uint8Array;
}

export interface StoredState {
  /** The store has everything in the changelog below it. */
  readonly position: number;
  /** Buffers are valid until the next step. */
  readonly entries: Iterable<StoredEntry>;
}

/** Facts about an input's records that their maker knows and no log tells. */
export interface InputTruth {
  /**
   * Returns why a record is refused that looks sound: its stamp is too far ahead of the present at that time, and moves no clock
   * (C6), or its content decodes and still fails (I6).
   */
  readonly refusalOf: (record: InputRecord) => 'stamp' | 'content' | undefined;
  /** True if stamps were taken that moved the clock only as far as the present allowed (C6): the commits' clocks are believed. */
  readonly presentDecides: boolean;
}

/** Deliveries to webhooks as the topics of one partition hold them, and how far the notifier says it is (V10). */
export interface DeliveryHistory {
  /** Records of another are passed over. */
  readonly application: string;
  /** Its name begins each id. */
  readonly pipeline: string;
  /** Endpoints that are reached by HTTP: a program's exit code is no status. */
  readonly webhooks: ReadonlySet<string>;
  /** `<pipeline>.deliveries`, cut behind `undeliverable`: each that is given up there is let go here. */
  readonly kept: LogSource<WholeRecord>;
  /** Where `kept` ended before `undeliverable` was cut: what is given up by a transaction below it is there. */
  readonly keptDecidedBelow: number;
  readonly undeliverable: LogSource<WholeRecord>;
  /** Records may be gone from it that later ones of their keys replace: it is its readers' own. */
  readonly isUndeliverableCompacted: boolean;
  /** Longest time between two records of one transaction. */
  readonly transactionMs: DurationMs;
  /** `<pipeline>.deliveries.due` */
  readonly due: LogSource<WholeRecord>;
  /** The committed output at an offset; undefined: there is none, or none any more. */
  readonly outputAt: (offset: number) => Promise<WholeRecord | undefined>;
  /** Where what is here of the outputs begins. */
  readonly outputStart: number;
  readonly outputs: NotifierPosition;
  readonly dueRuns: NotifierPosition;
}

/** How far the notifier's group has committed that it took a log. */
export interface NotifierPosition {
  /** Asked before the logs were cut: what was decided below it is in them. undefined: it has committed nothing. */
  readonly before: number | undefined;
  /** Asked once more after `kept` was cut: all that is kept was taken below it. */
  readonly behind: number | undefined;
  /** The log's end, asked after both. */
  readonly end: number;
}

/** The logs of one partition, with the input cut last: it has every record that a commit of this changelog names. */
export interface PartitionHistory {
  readonly partition: number;
  readonly input: LogSource<InputRecord>;
  /** Log start of the input, if `input` is read from a later offset: records below that are not judged. Default: `input.logStart`. */
  readonly inputLogStart?: number;
  /** Inputs that are read with the first as one (S8). Default: none. */
  readonly furtherInputs?: readonly { readonly log: LogSource<InputRecord>; readonly logStart?: number }[];
  readonly changelog: LogSource<LogRecord>;
  readonly output: LogSource<OutputRecord>;
  readonly deadLetters: LogSource<LetterRecord>;
  /** `<output>.stats`, where there are statistics (S12); records from `decidedBelow` on may belong to commits behind this changelog. */
  readonly stats?: { readonly log: LogSource<OutputRecord>; readonly decidedBelow: number } | undefined;
  /** Where its routes lead (P3); undefined: it has none. */
  readonly routed?: RoutedHistory | undefined;
  /** Its outputs on their way to webhooks; undefined: they are sent to none, or that is not judged. */
  readonly deliveries?: DeliveryHistory | undefined;
  /** Present log start of the changelog, if it is given here whole. Default: `changelog.logStart`. */
  readonly changelogTruncatedTo?: number;
  /** Default: the processor's letters and commits are believed on refusals and on the present. */
  readonly truth?: InputTruth | undefined;
  /** Closes at or above it may belong to commits behind the end of this changelog, and cannot be judged. */
  readonly outputDecidedBelow: number;
  /**
   * Returns why something due may still be closed; undefined: nothing more comes. Asked at the end, about what should have been
   * closed by then (V2).
   */
  whyUndone(): Promise<string | undefined>;
  /**
   * True if all work is said to be done: input that no commit covers is then a violation, not undecided. Nothing writes to these logs
   * any more. Default: false.
   */
  readonly isComplete?: boolean;
  /**
   * Settings of the commits, as the changelog states them (`settingsIn`); empty: it does not. Default: the configured ones throughout.
   */
  readonly settings?: readonly SaidSettings[];
  /** The local store after a graceful stop. */
  readonly store?: StoredState | undefined;
}

/** Format of all values of an input; `auto`: recognized by the first byte of each. */
export type ValueFormat = 'auto' | 'json' | 'avro';

/** Which attributes of an input get in (E1). */
export interface AttributeRules {
  /** Where they lie in values that are no events, for whoever reads the records. */
  readonly at?: string;
  /** Attributes that get in as they are; null: all that are not hashed. */
  readonly allow: readonly string[] | null;
  /** Attributes of which a keyed hash gets in. */
  readonly hash: readonly string[];
  /** Id of the key; null: nothing is hashed. */
  readonly hashKeyId: string | null;
}

/** Rules of one of several inputs (S8). */
export interface InputOfSeveral {
  readonly topic?: string;
  readonly format?: ValueFormat;
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly maxKeyBytes: number;
  /** Its records are activity; else they only add data. */
  readonly touches: boolean;
  /** Decides on a record whose key has no session. */
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: DurationMs;
  /** Default: all get in. */
  readonly attributes?: AttributeRules | undefined;
}

/** Rules common to pipelines of every kind, as their configuration gives them. */
export interface CommonRules {
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly maxKeyBytes: number;
  /** All of them, where there are several: what each says goes before what is said here. Default: one, all of it activity. */
  readonly inputs?: readonly InputOfSeveral[] | undefined;
  /** Which attributes of the only input get in. Default: all. */
  readonly attributes?: AttributeRules | undefined;
  /** P3. Default: none. */
  readonly routes?: readonly NaiveRoute[] | undefined;
  /** How each key hashes that is at hand, by its id. Default: none is. */
  readonly hashes?: ReadonlyMap<string, (value: string) => string> | undefined;
  /** Format of the values, for whoever reads the records. Default: unspecified. */
  readonly inputFormat?: ValueFormat;
  /** I7. Default: as in docs/SPEC.md. */
  readonly entriesMax?: number;
  readonly keyBytesMax?: number;
  readonly pageBytesMax?: number;
  /** `maxStateBytes`. Default: none. */
  readonly stateBytesMax?: number | undefined;
  /** O2: true if a tombstone follows the last record of a life. Default: true. */
  readonly tombstones?: boolean;
  /** C3: with `fetch` the clock may pass all records, by evidence that no log tells. Default: `record`. */
  readonly proof?: 'record' | 'fetch';
  /** C8; 0: no time is held. */
  readonly unheardMs: DurationMs;
  readonly maxHoldMs: DurationMs;
  /** K8: maximum length of the log, in lengths of all live bases, once it is above 2 MiB. Default: not judged. */
  readonly changelogFactor?: number;
  readonly unsweptBytesMax?: number;
}

/** Statistics of sessions (S12). */
export interface StatsRules {
  /** Lengths of the windows. */
  readonly windows: readonly DurationMs[];
  readonly dimensions: readonly { readonly name: string; readonly attribute: string; readonly max: number }[];
}

/** The rules of a pipeline of sessions. */
export interface PipelineRules extends CommonRules {
  readonly kind: 'session';
  readonly timeoutMs: DurationMs;
  readonly minTimeoutMs: DurationMs;
  readonly maxTimeoutMs: DurationMs;
  readonly maxDurationMs: DurationMs | undefined;
  /** Deadlines are multiples of it (S2). Default: they are not. */
  readonly bucketMs?: DurationMs | undefined;
  readonly graceMs: DurationMs;
  /** Decides on records later than that (C7). */
  readonly late: 'deadLetter' | 'drop' | 'revise';
  /** How long after its close a session may be revised (S9). Default: 0, none is. */
  readonly revisionWindowMs?: DurationMs;
  readonly dedupeEventIds: number;
  readonly maxSources: number;
  /** S11 */
  readonly sayOpened?: boolean;
  readonly updateIntervalMs?: DurationMs | undefined;
  /** S13 */
  readonly maxEvents?: number | undefined;
  /** S12; undefined: nothing is counted. */
  readonly stats?: StatsRules | undefined;
  /** S10, as settings say it (`ReducerRules`). undefined: there is none. */
  readonly reducer?: object | undefined;
  readonly maxAttributes: number;
  readonly maxAttributeBytes: number;
}
