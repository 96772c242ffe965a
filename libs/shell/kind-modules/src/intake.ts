// A kind's intake for senders that have no Kafka client: what one sends becomes a record of the input, or is refused in words.
import type { Clock, Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';

export interface Intake {
  /**
   * Names of a request's headers that are the record's, too; another that begins as Flatline's own do is refused. undefined: what a
   * record says is in its value, and no header counts.
   */
  readonly headers: readonly string[] | undefined;
  /** The record to write, or in words why the pipeline would make it a dead letter. */
  readonly recordOf: (sent: Sent, now: Millis) => Unwritten | string;
}

/** A record of the input that is not written yet. */
export interface Unwritten {
  /** null: an end, a cancel. */
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

export interface Sent extends Unwritten {
  /** By it a sender tells what it sends again from what it sends once more. undefined: it cannot. */
  readonly idempotencyKey: string | undefined;
}

export interface KindIntake<Pipeline> {
  /** True if a socket is a sign of life for as long as it is open: the shortest `timeoutMs` says how often it is pinged. */
  readonly beats: boolean;
  readonly open: (pipeline: Pipeline, clock: Clock) => Intake;
}

/** Header of a record by which a consumer, or `dedupeBy`, knows what was sent again. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';
const utf8 = new TextEncoder();

/** The record with its sender's own key. */
export function withIdempotencyKey({ value, headers, idempotencyKey }: Sent): Unwritten {
  if (idempotencyKey === undefined) return { value, headers };
  return { value, headers: [...headers, { name: IDEMPOTENCY_HEADER, value: utf8.encode(idempotencyKey) }] };
}
