// Interprets the records of an output topic by the kind of its pipeline: a table with the reading for each kind.
import type { KindName } from '@flatline/base';
import { INCARNATION_HEADER } from '@flatline/ports';
import { BY_OPERATOR_HEADER, type SessionState } from '@flatline/ports/formats';
import type { BadOutcome, ReadingOptions } from '@flatline/records';
import { BatchFormats } from '@flatline/records/batches';
import { LeaseEventFormats } from '@flatline/records/leases';
import { receiptIn, runIn } from '@flatline/records/runs';
import { SummaryFormats } from '@flatline/records/summaries';
import type {
  BatchRecord,
  LeaseEventRecord,
  RawOutput,
  ReceiptRecord,
  RunRecord,
  SummaryRecord,
  TombstoneRecord,
  UnreadableRecord,
  UpdateRecord,
} from './output-record.ts';

/** By the kinds of pipelines: what each says. */
export interface RecordsByKind {
  readonly session: SummaryRecord;
  readonly lease: LeaseEventRecord;
  readonly debounce: BatchRecord;
  readonly schedule: RunRecord;
}

/** A record that is no output asked for: one that belongs on the topic all the same, or one that cannot be read. */
export type Beside = TombstoneRecord | UpdateRecord | ReceiptRecord | UnreadableRecord;

/** Summaries of sessions that closed, where they may be revised (S9): the first of each, all, or the last once it is final. */
export type SummaryView = 'first' | 'all' | 'final';

/** Records of sessions that are given as outputs, by their `state`. */
type States = readonly SessionState[];
/** By default: that sessions have closed. */
const CLOSED_ONLY: States = ['CLOSED'];

export interface OutputKind<Found> {
  /** Names of the outputs, and of the topic that has them, in words. */
  readonly outputs: string;
  readonly pipeline: string;
  readonly read: (record: RawOutput) => Promise<Found | Beside>;
  /** The same at once; undefined where a registry has to be asked. Default: always. */
  readonly readNow?: (record: RawOutput) => Found | Beside | undefined;
  /** Returns the incarnation whose tombstone it waits for; undefined, and the default: it is given as it comes. */
  readonly waitsAs?: (found: Found) => string | undefined;
  /** Names it for good: the same after a crash, a rebalance, or as a dead letter. */
  readonly idOf: (found: Found) => string;
}

type OutputKinds = { readonly [Kind in KindName]: OutputKind<RecordsByKind[Kind]> };

/** Which records of sessions are asked for. */
export interface Asked {
  /** Default: `['CLOSED']`. */
  readonly states?: States;
  /** Default: `all`. */
  readonly view?: SummaryView;
}

export function outputKinds(options: ReadingOptions, asked: Asked = {}): OutputKinds {
  const summaries = new SummaryFormats(options);
  const batches = new BatchFormats(options);
  const leaseEvents = new LeaseEventFormats(options);
  return {
    session: {
      outputs: 'summaries of sessions',
      pipeline: 'a pipeline of sessions',
      read: summaryReading(summaries, asked),
      readNow: readingNow((at, value, headers) => {
        const outcome = summaries.decode(value);
        return outcome.kind === 'unknownSchema' ? undefined : summaryOf(at, outcome, headers, asked);
      }),
      waitsAs: ({ summary: { state, incarnation } }) =>
        asked.view === 'final' && state === 'CLOSED' ? incarnation : undefined,
      idOf: ({ summary: { incarnation, revision, state, lastOffset } }) =>
        state === 'CLOSED' ? `${incarnation}/${revision}` : `${incarnation}/${state}/${lastOffset}`,
    },
    lease: {
      outputs: 'events of leases',
      pipeline: 'a pipeline of leases',
      read: leaseEventReading(leaseEvents),
      readNow: readingNow((at, value, headers) => {
        const outcome = leaseEvents.decode(value);
        return outcome.kind === 'unknownSchema' ? undefined : leaseEventOf(at, outcome, headers);
      }),
      // Answers have no names of their own: one request may be answered alike again. Each lies at one place for good.
      idOf: ({ partition, offset }) => `${partition}-${offset}`,
    },
    debounce: {
      outputs: 'batches',
      pipeline: 'a pipeline that debounces',
      read: batchReading(batches),
      readNow: readingNow((at, value) => {
        const outcome = batches.decode(value);
        return outcome.kind === 'unknownSchema' ? undefined : batchOf(at, outcome);
      }),
      idOf: ({ batch: { windowId, reason, part } }) => `${windowId}/${reason}/${part}`,
    },
    schedule: {
      outputs: 'runs of schedules',
      pipeline: 'a pipeline of schedules, or one of its targets',
      read: (record) => Promise.resolve(readRun(record)),
      readNow: readRun,
      idOf: ({ run: { schedule, number } }) => `${schedule}/${number}`,
    },
  };
}

export function summaryReading(
  formats: SummaryFormats,
  asked: Asked = {},
): (record: RawOutput) => Promise<SummaryRecord | UpdateRecord | TombstoneRecord | UnreadableRecord> {
  return reading(async (at, value, headers) => summaryOf(at, await formats.read(value), headers, asked));
}

function summaryOf(
  at: At,
  outcome: Awaited<ReturnType<SummaryFormats['read']>>,
  headers: RawOutput['headers'],
  { states = CLOSED_ONLY, view = 'all' }: Asked,
): SummaryRecord | UpdateRecord | BadOutcome {
  if (outcome.kind === 'bad') return outcome;
  const summary = markedBy(outcome.summary, headers);
  // Another writer's may be in any.
  const isGiven = states.some((state) => state === summary.state) && (view !== 'first' || summary.revision === 0);
  return { kind: isGiven ? 'summary' : 'update', ...at, summary };
}

/** In Avro, which has no field for it, a header alone says that an operator brought it about (SPEC, Q4). */
function markedBy<Said extends { byOperator?: boolean | undefined }>(said: Said, headers: RawOutput['headers']): Said {
  if (said.byOperator === true || !headers.some(({ name }) => name === BY_OPERATOR_HEADER)) return said;
  return { ...said, byOperator: true };
}

export type LeaseEventReader = (record: RawOutput) => Promise<LeaseEventRecord | TombstoneRecord | UnreadableRecord>;

export function leaseEventReading(formats: Pick<LeaseEventFormats, 'readOrWhy'>): LeaseEventReader {
  return reading(async (at, value, headers) => leaseEventOf(at, await formats.readOrWhy(value), headers));
}

function leaseEventOf(
  at: At,
  outcome: Awaited<ReturnType<LeaseEventFormats['readOrWhy']>>,
  headers: RawOutput['headers'],
): LeaseEventRecord | BadOutcome {
  return outcome.kind === 'bad' ? outcome : { kind: 'leaseEvent', ...at, event: markedBy(outcome.event, headers) };
}

function batchReading(formats: BatchFormats): OutputKind<BatchRecord>['read'] {
  return reading(async (at, value) => batchOf(at, await formats.read(value)));
}

function batchOf(at: At, outcome: Awaited<ReturnType<BatchFormats['read']>>): BatchRecord | BadOutcome {
  return outcome.kind === 'bad' ? outcome : { kind: 'batch', ...at, batch: outcome.batch };
}

type At = Pick<RawOutput, 'partition' | 'offset' | 'timestamp'>;

/** For kinds whose outputs are in the value: with a key, and tombstones between them. */
function reading<Found extends RecordsByKind[keyof RecordsByKind] | UpdateRecord>(
  decode: (at: At, value: Uint8Array, headers: RawOutput['headers']) => Promise<Found | BadOutcome>,
): (record: RawOutput) => Promise<Found | TombstoneRecord | UnreadableRecord> {
  return async (record) => {
    const { value } = record;
    if (value === null || value.length === 0 || record.key === null) return emptyOf(record);
    return foundOf(record, await decode(atOf(record), value, record.headers));
  };
}

/** The same where no registry has to be asked, by `decode`: not for what another question to it may turn into an output. */
function readingNow<Found extends RecordsByKind[keyof RecordsByKind] | UpdateRecord>(
  decode: (at: At, value: Uint8Array, headers: RawOutput['headers']) => Found | BadOutcome | undefined,
): (record: RawOutput) => Found | TombstoneRecord | UnreadableRecord | undefined {
  return (record) => {
    const { value } = record;
    if (value === null || value.length === 0 || record.key === null) return emptyOf(record);
    const decoded = decode(atOf(record), value, record.headers);
    if (decoded === undefined || (isBad(decoded) && decoded.reason === 'unknown-schema-id')) return undefined;
    return foundOf(record, decoded);
  };
}

function atOf({ partition, offset, timestamp }: RawOutput): At {
  return { partition, offset, timestamp };
}

/** Interprets a record without key or value. */
function emptyOf(record: RawOutput): TombstoneRecord | UnreadableRecord {
  const { key, value, headers } = record;
  const at = atOf(record);
  if (key === null) return { kind: 'unreadable', ...at, key, ...NULL_KEY };
  if (value === null) return { kind: 'tombstone', ...at, key, incarnation: incarnationIn(headers) };
  return { kind: 'unreadable', ...at, key, reason: 'empty-value', detail: 'the value is empty' };
}

function foundOf<Found extends { readonly kind: string }>(
  record: RawOutput,
  decoded: Found | BadOutcome,
): Found | UnreadableRecord {
  if (!isBad(decoded)) return decoded;
  const { reason, detail } = decoded;
  return { ...atOf(record), key: record.key, reason, detail, kind: 'unreadable' };
}

function isBad(decoded: { readonly kind: string }): decoded is BadOutcome {
  return decoded.kind === 'bad';
}

function readRun({ partition, offset, timestamp, key, value, headers }: RawOutput): RunRecord | Beside {
  const at = { partition, offset, timestamp };
  if (key === null) return { kind: 'unreadable', ...at, key, ...NULL_KEY };
  const receipt = receiptIn(headers);
  if (receipt !== undefined) return { kind: 'receipt', ...at, key, receipt };
  const run = value === null ? undefined : runIn(value, headers);
  return run === undefined ? { kind: 'unreadable', ...at, key, ...NO_RUN } : { kind: 'run', ...at, run };
}

const NULL_KEY = { reason: 'null-key', detail: 'the record has no key' };
const NO_RUN = { reason: 'no-run', detail: 'no value, or no headers that name schedule, run and due instant' };

function incarnationIn(headers: RawOutput['headers']): string | undefined {
  const header = headers.find(({ name }) => name === INCARNATION_HEADER);
  return header?.value == null ? undefined : new TextDecoder().decode(header.value);
}
