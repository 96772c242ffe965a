// Outputs of a pipeline, as its readers get them: the shapes are the SDK's, so that a handler may be given either.
import { assert, type KindName, type Millis } from '@flatline/base';
import type { OutputValue } from '@flatline/kind-modules';
import { INCARNATION_HEADER, type RecordHeader } from '@flatline/ports';
import type { ReceivedBatch } from '@flatline/records/batches';
import type { ReceivedLeaseEvent } from '@flatline/records/leases';
import { type ReceivedReceipt, type ReceivedRun, receiptIn, runIn } from '@flatline/records/runs';
import type { ReceivedSummary } from '@flatline/records/summaries';

/** A record that the pipeline has written, as it lies on its topic. */
export interface WrittenRecord {
  readonly topic: string;
  readonly partition: number;
  /** Counted from 0 for each partition of a topic. On a broker, transactions take offsets, too. */
  readonly offset: number;
  /** The instant of virtual time at which it was written, in milliseconds since the epoch. */
  readonly timestamp: Millis;
  readonly key: Uint8Array;
  /** The key as text: what is no UTF-8 shows as U+FFFD. */
  readonly keyText: string;
  /** null is a tombstone. */
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** Fields of every output. */
export interface OutputPlace extends Pick<
  WrittenRecord,
  'topic' | 'partition' | 'offset' | 'timestamp' | 'key' | 'keyText'
> {
  /**
   * Names it for good: of a session `<incarnation>/<revision>`, of a batch `<windowId>/<reason>/<part>`, of a run
   * `<schedule>/<number>`, of a lease its place on the topic, `<partition>-<offset>`.
   */
  readonly id: string;
}

/** A session has closed. */
export interface SummaryOutput extends OutputPlace {
  readonly kind: 'summary';
  readonly summary: ReceivedSummary;
}

/** Outcome of a lease, or of a request for one. */
export interface LeaseOutput extends OutputPlace {
  readonly kind: 'leaseEvent';
  readonly event: ReceivedLeaseEvent;
}

/** A window of items has fired, or a part of it. */
export interface BatchOutput extends OutputPlace {
  readonly kind: 'batch';
  readonly batch: ReceivedBatch;
}

/** A message whose time has come, on the output or on one of the `targets`. */
export interface RunOutput extends OutputPlace {
  readonly kind: 'run';
  readonly run: ReceivedRun;
}

/** An answer to a record that schedules, where the pipeline has `receipts`. */
export interface ReceiptOutput extends Omit<OutputPlace, 'id'> {
  readonly kind: 'receipt';
  readonly receipt: ReceivedReceipt;
}

/** By the kinds of pipelines: what each says. */
export interface OutputsByKind {
  readonly session: SummaryOutput;
  readonly lease: LeaseOutput;
  readonly debounce: BatchOutput;
  readonly schedule: RunOutput;
}

export type AnyOutput = OutputsByKind[KindName];

/** undefined: a tombstone. */
export function outputOf(
  record: WrittenRecord,
  read: (value: Uint8Array) => OutputValue,
): AnyOutput | ReceiptOutput | undefined {
  const { value, headers, ...place } = record;
  if (value === null && headers.some(({ name }) => name === INCARNATION_HEADER)) return undefined;
  const said = value === null ? ({ kind: 'run' } as const) : read(value);
  switch (said.kind) {
    case 'summary':
      return { ...place, ...said, id: `${said.summary.incarnation}/${said.summary.revision}` };
    case 'leaseEvent':
      return { ...place, ...said, id: `${place.partition}-${place.offset}` };
    case 'batch':
      return { ...place, ...said, id: `${said.batch.windowId}/${said.batch.reason}/${said.batch.part}` };
    case 'run':
      return runOf(record, place);
  }
}

function runOf({ value, headers }: WrittenRecord, place: Omit<OutputPlace, 'id'>): RunOutput | ReceiptOutput {
  const receipt = receiptIn(headers);
  if (receipt !== undefined) return { ...place, kind: 'receipt', receipt };
  const run = value === null ? undefined : runIn(value, headers);
  assert(run !== undefined, 'a record of schedules is a run or a receipt', { place });
  return { ...place, kind: 'run', run, id: `${run.schedule}/${run.number}` };
}
