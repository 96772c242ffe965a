// When a session ends and what is then said of it (S2, S3, S4).
import type { DurationMs, Millis } from '@flatline/base';
import { bucketEnd } from '../bucketed.ts';
import { isCapped } from './capped.ts';
import { MISSING_MAX } from './counts.ts';
import type { SessionDetail } from './detail.ts';
import { isEarly } from './early-data.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { type CloseReason, HEARTBEAT, type SessionState, type SessionSummary } from '@flatline/ports/formats';
import { NOTHING_HELD, type Reckoning } from '../held-time.ts';
import { idAt, offsetAt } from '../input-place.ts';
import { missingCount } from './sequence-window.ts';
import { missingOfSources } from './sources.ts';
import type { SessionTexts } from './texts.ts';

/** The instant as of which the session closes if nothing comes: its deadline, and the grace (C7). */
export function dueAt(entry: SessionEntry, rules: SessionRules, held: Reckoning = NOTHING_HELD): Millis {
  return deadlineOf(entry, rules, held) + rules.graceMs;
}

/**
 * The instant at which the session ends if nothing comes: silence, or the maximum duration if that is sooner; with buckets the end
 * of the one in which that is.
 */
export function deadlineOf(entry: SessionEntry, rules: SessionRules, held: Reckoning = NOTHING_HELD): Millis {
  const { maxDurationMs, bucketMs } = rules;
  const silence = held.after(entry.lastSeenAt, entry.timeoutMs);
  if (maxDurationMs === undefined && bucketMs === undefined) return silence;
  // Early data is no session yet.
  if (isEarly(entry)) return silence;
  const first = maxDurationMs === undefined ? silence : Math.min(silence, held.after(entry.openedAt, maxDurationMs));
  return bucketMs === undefined ? first : bucketEnd(first, bucketMs);
}

/** Ties go to the maximum duration (S3). */
export function dueReason(
  entry: SessionEntry,
  rules: SessionRules,
  held: Reckoning = NOTHING_HELD,
): 'TIMEOUT' | 'MAX_DURATION' {
  if (rules.maxDurationMs === undefined) return 'TIMEOUT';
  const silence = held.after(entry.lastSeenAt, entry.timeoutMs);
  return held.after(entry.openedAt, rules.maxDurationMs) <= silence ? 'MAX_DURATION' : 'TIMEOUT';
}

export interface Closing {
  readonly key: Uint8Array;
  readonly partition: number;
  /** The state that is told; default: that it has closed. */
  readonly state?: SessionState;
  /** Empty: it lives. */
  readonly reason: CloseReason | '';
  /** An operator ends it (Q4), which is no event. Default: none does. */
  readonly byOperator?: boolean | undefined;
  readonly closedAt: Millis;
  /** Event time of an explicit end; undefined: the last sign of life. */
  readonly endedAt: Millis | undefined;
  readonly emittedAt: Millis;
  /** First offsets of the incarnations that it has absorbed (C7). Default: none. */
  readonly absorbed?: readonly number[];
  /** How often it was said before (S9). Default: never. */
  readonly revision?: number;
}

/** The summary of a session that ends now, or as if it did. Reads the entry, changes nothing. */
export function summarize(
  entry: SessionEntry,
  rules: SessionRules,
  closing: Closing,
  held: Reckoning = NOTHING_HELD,
): SessionSummary {
  const { detail } = entry;
  const startedAt = detail?.startedAt ?? entry.openedAt;
  const endedAt = closing.endedAt ?? detail?.lastEventAt ?? entry.lastSeenAt;
  return {
    key: closing.key,
    incarnation: idAt(closing.partition, entry.firstOffset),
    absorbed: namesOf(closing),
    revision: closing.revision ?? 0,
    state: closing.state ?? 'CLOSED',
    reason: closing.reason,
    byOperator: closing.byOperator === true ? true : undefined,
    startedAt,
    lastSeenAt: entry.lastSeenAt,
    endedAt,
    durationMs: durationBetween(startedAt, endedAt),
    deadlineAt: deadlineOf(entry, rules, held),
    heldMs: held.between(entry.lastSeenAt, closing.closedAt) || undefined,
    closedAt: closing.closedAt,
    emittedAt: closing.emittedAt,
    timeoutMs: entry.timeoutMs,
    eventCount: entry.eventCount,
    duplicateCount: detail?.duplicateCount ?? 0,
    outOfOrderCount: detail?.outOfOrderCount ?? 0,
    lateCount: 0,
    missingCount: missingOf(detail),
    countsByType: countsByType(entry),
    attributes: attributesOf(detail?.texts),
    truncated: detail?.texts?.truncated ?? false,
    capped: isCapped(entry, rules, closing),
    reduced: reducedOf(entry, rules, closing),
    partition: closing.partition,
    firstOffset: offsetAt(entry.firstOffset),
    lastOffset: offsetAt(entry.lastOffset),
  };
}

/** undefined: there is no reducer. */
function reducedOf({ detail, lastOffset: offset }: SessionEntry, { reducer }: SessionRules, { partition }: Closing) {
  return reducer?.finish(detail?.reduced, { partition, offset });
}

/** Over all sources (S6). */
function missingOf(detail: SessionDetail | undefined): number {
  if (detail === undefined) return 0;
  const { sequence, hasSources, texts } = detail;
  const unnamed = sequence === undefined ? 0 : missingCount(sequence);
  return hasSources ? Math.min(unnamed + missingOfSources(texts!), MISSING_MAX) : unnamed;
}

/** undefined: there are none. */
function namesOf({ partition, absorbed }: Closing): readonly string[] | undefined {
  if (absorbed === undefined || absorbed.length === 0) return undefined;
  return absorbed.map((place) => idAt(partition, place));
}

/** An explicit end may carry an event time before the start: that session lasted no time. */
function durationBetween(startedAt: Millis, endedAt: Millis): DurationMs {
  return Math.max(0, endedAt - startedAt);
}

/** Attributes shared by the summaries of sessions without any: of a million that close together, few have any. */
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

export function attributesOf(texts: SessionTexts | undefined): ReadonlyMap<string, string> {
  return texts === undefined || texts.attributeCount === 0 ? NO_ATTRIBUTES : texts.attributeValues();
}

/** By their number: what sessions of so many heartbeats, and of nothing else, share. Each has a map of its own beyond. */
const HEARTBEATS: ReadonlyMap<string, number>[] = [];
const SHARED_COUNTS_MAX = 1_024;

export function countsByType({ detail, eventCount }: SessionEntry): ReadonlyMap<string, number> {
  const others = detail?.texts?.countsByType();
  if (others === undefined && eventCount > 0 && eventCount < SHARED_COUNTS_MAX)
    return (HEARTBEATS[eventCount] ??= new Map([[HEARTBEAT, eventCount]]));
  const counts = new Map<string, number>();
  let heartbeats = eventCount;
  if (others !== undefined) for (const count of others.values()) heartbeats -= count;
  if (heartbeats > 0) counts.set(HEARTBEAT, heartbeats);
  if (others !== undefined) for (const [type, count] of others) counts.set(type, count);
  return counts;
}
