// Says what becomes of a session (S11, O2).
import { namedMessageOf } from '@flatline/base';
import { INCARNATION_HEADER } from '@flatline/ports';
import { BY_OPERATOR_HEADER, type SessionSummary, type SummaryEncoder } from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';
import { idAt } from '../input-place.ts';
import type { SessionCounters } from './session-counters.ts';

export interface VoiceOptions {
  readonly encoder: SummaryEncoder;
  /** True if each summary is followed by a tombstone (O2). */
  readonly tombstones: boolean;
  /** Named in the error if a summary cannot be encoded. */
  readonly outputTopic: string;
}

/** Told of each session that has closed, once, with its first summary. */
export type OnClosed = (session: { readonly firstOffset: number }, summary: SessionSummary) => void;

const BY_OPERATOR = { name: BY_OPERATOR_HEADER, value: asciiBytes('true') };

/** A close comes with its tombstone: without a revision window it is final at once (O2). */
export function saySummary(summary: SessionSummary, options: VoiceOptions, effects: Effects): void {
  const { key, incarnation, state, byOperator } = summary;
  const headers = [{ name: INCARNATION_HEADER, value: asciiBytes(incarnation) }];
  effects.emit({ key, value: encoded(summary, options), headers: byOperator ? [...headers, BY_OPERATOR] : headers });
  if (state === 'CLOSED' && options.tombstones) effects.emit({ key, value: null, headers });
}

/** Without a tombstone: more may come of the incarnation (S9). */
export function sayRevisable(summary: SessionSummary, options: VoiceOptions, effects: Effects): void {
  saySummary(summary, { ...options, tombstones: false }, effects);
}

/** Nothing more comes of the incarnation that began at the place `firstOffset` (S9). */
export function sayFinal(
  {
    key,
    partition,
    firstOffset,
  }: { readonly key: Uint8Array; readonly partition: number; readonly firstOffset: number },
  { tombstones }: VoiceOptions,
  effects: Effects,
): void {
  if (!tombstones) return;
  const headers = [{ name: INCARNATION_HEADER, value: asciiBytes(idAt(partition, firstOffset)) }];
  effects.emit({ key, value: null, headers });
}

export function countClose({ reason, durationMs, capped, reduced }: SessionSummary, counters: SessionCounters): void {
  if (reduced === null) counters.unfinishedReductions += 1;
  if (capped) counters.cappedSessions += 1;
  if (durationMs === 0) counters.zeroLengthSessions += 1;
  if (reason === 'TIMEOUT') counters.closedByTimeout += 1;
  else if (reason === 'ENDED') counters.closedByEnd += 1;
  else if (reason === 'MAX_DURATION') counters.closedByMaxDuration += 1;
  else counters.closedByEviction += 1;
}

function encoded(summary: SessionSummary, { encoder, outputTopic }: VoiceOptions): Uint8Array {
  try {
    return encoder.encode(summary);
  } catch (error) {
    const { incarnation, reason, state, firstOffset, lastOffset, partition } = summary;
    const where = `${outputTopic}/${partition}`;
    const what = `the summary of ${incarnation} (${reason || state}, offsets ${firstOffset} to ${lastOffset}) for ${where} cannot be encoded`;
    throw new Error(`${what}: ${namedMessageOf(error)}`, { cause: error });
  }
}

/** An incarnation is digits and a dash: a call into the engine's encoder takes several times as long. */
function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
