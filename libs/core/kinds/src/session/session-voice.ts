// Says what becomes of a session (S11, O2).
import { namedMessageOf, utf8Of } from '@flatline/base';
import { type Frame, headerFrame, INCARNATION_HEADER, nameFrame } from '@flatline/ports';
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

const INCARNATION = nameFrame(INCARNATION_HEADER);
const BY_OPERATOR = headerFrame(BY_OPERATOR_HEADER, utf8Of('true'));
/** Bytes of those two, at most. */
const HEADERS_BYTES = 128;

/** A close comes with its tombstone: without a revision window it is final at once (O2). */
export function saySummary(summary: SessionSummary, options: VoiceOptions, effects: Effects): void {
  const { incarnation, state, byOperator } = summary;
  say(encoded(summary, options), incarnation, byOperator === true ? BY_OPERATOR : undefined, effects);
  if (state === 'CLOSED' && options.tombstones) say(null, incarnation, undefined, effects);
}

/** Without a tombstone: more may come of the incarnation (S9). */
export function sayRevisable(summary: SessionSummary, options: VoiceOptions, effects: Effects): void {
  saySummary(summary, { ...options, tombstones: false }, effects);
}

/** Nothing more comes of the incarnation that began at the place `firstOffset` (S9). */
export function sayFinal(
  { partition, firstOffset }: { readonly partition: number; readonly firstOffset: number },
  { tombstones }: VoiceOptions,
  effects: Effects,
): void {
  if (tombstones) say(null, idAt(partition, firstOffset), undefined, effects);
}

/** Written where it goes out from: of a million closes, none pays for objects of its two records. */
function say(value: Uint8Array | null, incarnation: string, by: Frame | undefined, effects: Effects): void {
  const headers = by === undefined ? 1 : 2;
  const record = effects.record((value?.length ?? 0) + HEADERS_BYTES, headers);
  if (value === null) record.none();
  else record.part(value, 0, value.length);
  record.headers(headers);
  record.framed(INCARNATION);
  record.ascii(incarnation);
  if (by !== undefined) record.framed(by);
  effects.recorded();
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
