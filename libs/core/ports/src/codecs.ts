// The ports of the formats: bytes to events, summaries to bytes. Both synchronous; what needs a registry is awaited by the shell.
import type { DeadLetterReason } from './dead-letter-reasons.ts';
import type { DebouncedBatch } from './debounced-batch.ts';
import type { LeaseEvent } from './lease-event.ts';
import type { LeaseRequest } from './lease-request.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionStats } from './session-stats.ts';
import type { SessionSummary } from './session-summary.ts';

export type DecodeOutcome =
  | { readonly kind: 'event' }
  /** I1: to the dead letters with this reason, and a detail a person can read. */
  | { readonly kind: 'bad'; readonly reason: DeadLetterReason; readonly detail: string }
  /** The writer schema is not known yet: the shell fetches it with `EventDecoder.prepare`, and the record is decoded again. */
  | { readonly kind: 'unknownSchema'; readonly schemaId: number };

export interface ValueDecoder<Target> {
  /** Decodes a non-empty value in place into `target`, which is reset first. Never throws on bad bytes. */
  decode(bytes: Uint8Array, start: number, length: number, target: Target): DecodeOutcome;
  /** Fetches a writer schema; afterwards `decode` knows it or calls it bad. @throws Retriable where the registry does not answer. */
  prepare(schemaId: number): Promise<void>;
}

export interface SummaryEncoder {
  /** Valid until the next call: whoever keeps it copies it. */
  encode(summary: SessionSummary): Uint8Array;
}

export interface EventDecoder extends ValueDecoder<SessionEvent> {
  /**
   * All fields of a value that `decode` has read, as JSON or its Avro schema has them, in objects without a prototype that are the
   * caller's; of one that is no object none. Needed where events are reduced (S10).
   */
  fields?(bytes: Uint8Array, start: number, length: number): Readonly<Record<string, unknown>>;
}
export type LeaseRequestDecoder = ValueDecoder<LeaseRequest>;

export interface LeaseEventEncoder {
  encode(event: LeaseEvent): Uint8Array;
}

export interface DebouncedBatchEncoder {
  /** Bytes of the longest batch that is written; longer ones are a mistake. */
  readonly batchBytesMax: number;
  /** Number of the way in which it weighs items, which is a format's for good: windows are kept with it. */
  readonly weighing: 0 | 1;
  /** At most what a batch has beside its items, with a key of that length. */
  aroundBytes(keyLength: number): number;
  /** At most what an item with that value adds. */
  itemBytes(bytes: Uint8Array, start: number, length: number): number;
  encode(batch: DebouncedBatch): Uint8Array;
}

/** Writes the records of `<output>.stats` (S12). */
export interface SessionStatsEncoder {
  encode(stats: SessionStats): Uint8Array;
}
