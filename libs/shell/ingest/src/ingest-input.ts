// The intake of one pipeline. The kind decides what records mean: this package only asks it.
import type { Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';

export interface IngestInput {
  readonly topic: string;
  readonly keyBytesMax: number;
  /** True if a socket is a sign of life for as long as it is open. */
  readonly beats: boolean;
  /**
   * Names of a request's headers that are the record's, too; another that begins as Flatline's own do is refused. undefined: none
   * counts, and none is refused.
   */
  readonly headers: readonly string[] | undefined;
  /** The record to write, or in words why the pipeline would make it a dead letter. */
  recordOf(sent: Sent, now: Millis): ValueAndHeaders | string;
}

export interface ValueAndHeaders {
  /** null: an end, a cancel. */
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

export interface Sent extends ValueAndHeaders {
  /** Lets a sender tell a retry from a new record. undefined: it cannot. */
  readonly idempotencyKey: string | undefined;
}

/** By pipeline; a text: why it takes nothing. */
export type IngestInputs = ReadonlyMap<string, IngestInput | string>;
