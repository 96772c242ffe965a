// What a record of an output topic is, by the kind of its pipeline: a table of readings, each of which a consumer reads by.
import { INCARNATION_HEADER } from '@flatline/ports';
import {
  BatchFormats,
  LeaseEventFormats,
  type ReadingOptions,
  receiptIn,
  runIn,
  SummaryFormats,
} from '@flatline/records';
import type {
  BatchRecord,
  LeaseEventRecord,
  RawOutput,
  ReceiptRecord,
  RunRecord,
  SummaryRecord,
  TombstoneRecord,
  UnreadableRecord,
} from './output-record.ts';

/** By the kinds of pipelines: what each says. */
export interface RecordsByKind {
  readonly session: SummaryRecord;
  readonly lease: LeaseEventRecord;
  readonly debounce: BatchRecord;
  readonly schedule: RunRecord;
}

/** What is no output of the kind, but no stranger either, and what is neither. */
export type Beside = TombstoneRecord | ReceiptRecord | UnreadableRecord;

export interface OutputKind<Found> {
  /** In words: what is read, and which topic has it. */
  readonly outputs: string;
  readonly pipeline: string;
  readonly read: (record: RawOutput) => Promise<Found | Beside>;
  /** Names it for good: the same after a crash, a rebalance, or as a dead letter. */
  readonly idOf: (found: Found) => string;
}

type OutputKinds = { readonly [Kind in keyof RecordsByKind]: OutputKind<RecordsByKind[Kind]> };

export function outputKinds(options: ReadingOptions): OutputKinds {
  return {
    session: {
      outputs: 'summaries of sessions',
      pipeline: 'a pipeline of sessions',
      read: summaryReading(new SummaryFormats(options)),
      idOf: ({ summary: { incarnation, revision } }) => `${incarnation}/${revision}`,
    },
    lease: {
      outputs: 'events of leases',
      pipeline: 'a pipeline of leases',
      read: leaseEventReading(new LeaseEventFormats(options)),
      // Answers have no names of their own: one request may be answered alike again. Each lies at one place for good.
      idOf: ({ partition, offset }) => `${partition}-${offset}`,
    },
    debounce: {
      outputs: 'batches',
      pipeline: 'a pipeline that debounces',
      read: batchReading(new BatchFormats(options)),
      idOf: ({ batch: { windowId, reason, part } }) => `${windowId}/${reason}/${part}`,
    },
    schedule: {
      outputs: 'runs of schedules',
      pipeline: 'a pipeline of schedules, or one of its targets',
      read: (record) => Promise.resolve(readRun(record)),
      idOf: ({ run: { schedule, number } }) => `${schedule}/${number}`,
    },
  };
}

export function summaryReading(
  formats: SummaryFormats,
): (record: RawOutput) => Promise<SummaryRecord | TombstoneRecord | UnreadableRecord> {
  return reading(async (at, value) => {
    const outcome = await formats.read(value);
    return outcome.kind === 'bad' ? outcome : { kind: 'summary', ...at, summary: outcome.summary };
  });
}

export type LeaseEventReader = (record: RawOutput) => Promise<LeaseEventRecord | TombstoneRecord | UnreadableRecord>;

export function leaseEventReading(formats: Pick<LeaseEventFormats, 'readOrWhy'>): LeaseEventReader {
  return reading(async (at, value) => {
    const outcome = await formats.readOrWhy(value);
    return outcome.kind === 'bad' ? outcome : { kind: 'leaseEvent', ...at, event: outcome.event };
  });
}

function batchReading(formats: BatchFormats): OutputKind<BatchRecord>['read'] {
  return reading(async (at, value) => {
    const outcome = await formats.read(value);
    return outcome.kind === 'bad' ? outcome : { kind: 'batch', ...at, batch: outcome.batch };
  });
}

type At = Pick<RawOutput, 'partition' | 'offset' | 'timestamp'>;
interface Bad {
  readonly kind: 'bad';
  readonly reason: string;
  readonly detail: string;
}

/** For kinds whose outputs are in the value: with a key, and tombstones between them. */
function reading<Found extends RecordsByKind[keyof RecordsByKind]>(
  decode: (at: At, value: Uint8Array) => Promise<Found | Bad>,
): (record: RawOutput) => Promise<Found | TombstoneRecord | UnreadableRecord> {
  return async ({ partition, offset, timestamp, key, value, headers }) => {
    const at = { partition, offset, timestamp };
    if (key === null) return { kind: 'unreadable', ...at, key, ...NULL_KEY };
    if (value === null) return { kind: 'tombstone', ...at, key, incarnation: incarnationIn(headers) };
    if (value.length === 0)
      return { kind: 'unreadable', ...at, key, reason: 'empty-value', detail: 'the value is empty' };
    const found = await decode(at, value);
    return found.kind === 'bad'
      ? { ...at, key, reason: found.reason, detail: found.detail, kind: 'unreadable' }
      : found;
  };
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
