// The output expected for a session that the input closes, and the differences of the actual output (V4).
import type { DurationMs, Millis } from '@flatline/base';
import { base64Of, textOf, utf8In } from '../../logs/byte-names.ts';
import { nameAt, offsetOf } from '../../logs/places.ts';
import { HEARTBEAT } from '../../logs/json-event.ts';
import { plain, UNDECIDED } from '../reducing/naive-reducer.ts';
import { isSame, shown } from '../differences.ts';
import { missingIn } from './sequence-span.ts';
import type { Session } from './session-state.ts';

export interface ExpectedClose {
  /** `FINAL`: a tombstone that stands alone, since its session could be revised (S9). */
  readonly state: 'OPENED' | 'UPDATED' | 'CLOSED' | 'FINAL';
  readonly incarnation: string;
  readonly revision: number;
  /** No tombstone follows it at once (S9). */
  readonly isRevisable: boolean;
  readonly lastSeenAt: Millis;
  readonly deadlineAt: Millis;
  readonly reason: string;
  /** Below the summary's own `closedAt` where no log tells how far the present let a stamp move the clock (C6). */
  readonly closedAtLeast: Millis;
  /** Named as in docs/FORMATS.md; without `emittedAt`, which is no function of the log (C5). */
  readonly summary: ReadonlyMap<string, unknown>;
}

export interface Closing {
  readonly key: Uint8Array;
  readonly partition: number;
  readonly state: ExpectedClose['state'];
  readonly revision: number;
  /** Empty: it lives. */
  readonly reason: string;
  /** An operator has ended it (Q4). */
  readonly byOperator: boolean | undefined;
  /** It has more events than it takes (S13). */
  readonly capped: boolean;
  readonly closedAt: Millis;
  readonly deadlineAt: Millis;
  /** S10; undefined: there is no reducer; `UNDECIDED`: it is not known. */
  readonly reduced: unknown;
  /** C8 */
  readonly heldMs: DurationMs | undefined;
  /** Event time of an explicit end; undefined: the last sign of life. */
  readonly endedAt: Millis | undefined;
}

export function expectedSummary(session: Session, closing: Closing): ReadonlyMap<string, unknown> {
  const { key, partition, state, revision, reason, capped, closedAt, deadlineAt, heldMs } = closing;
  const { startedAt, lastSeenAt, timeoutMs, eventCount, truncated, firstOffset, lastOffset } = session;
  const endedAt = closing.endedAt ?? session.lastEventAt;
  const durationMs: DurationMs = Math.max(0, endedAt - startedAt);
  const attributes = [...session.attributes].map(([name, { value }]): [string, string] => [name, value]);
  const fields = {
    sessionId: textOf(key),
    incarnation: nameAt(partition, firstOffset),
    revision,
    state,
    reason,
    startedAt,
    lastSeenAt,
    endedAt,
    durationMs,
    deadlineAt,
    closedAt,
    timeoutMs,
    eventCount,
    duplicateCount: session.duplicates,
    outOfOrderCount: session.outOfOrder,
    heldMs,
    absorbed: namesOf(session, partition),
    lateCount: 0,
    missingCount: missingOf(session),
    countsByType: countsByType(session),
    attributes: new Map(attributes),
    truncated,
    capped,
    byOperator: closing.byOperator === true ? true : undefined,
    reduced: closing.reduced,
    partition,
    firstOffset: offsetOf(firstOffset),
    lastOffset: offsetOf(lastOffset),
    // Only where the text does not say it (docs/FORMATS.md).
    sessionKeyBase64: utf8In(key) === undefined ? base64Of(key) : undefined,
  };
  return new Map(Object.entries(fields));
}

function countsByType({ eventCount, types }: Session): ReadonlyMap<string, number> {
  const heartbeats = [...types.values()].reduce((left, count) => left - count, eventCount);
  return heartbeats > 0 ? new Map(types).set(HEARTBEAT, heartbeats) : types;
}

function namesOf({ absorbed }: Session, partition: number): readonly string[] | undefined {
  return absorbed.length === 0 ? undefined : absorbed.map((place) => nameAt(partition, place));
}

/** S6 */
function missingOf({ sequence, sources = [], missingOfForgotten }: Session): number {
  const spans = [...(sequence === undefined ? [] : [sequence]), ...sources.map(({ span }) => span)];
  return spans.reduce((sum, span) => Math.min(Number.MAX_SAFE_INTEGER, sum + missingIn(span)), missingOfForgotten);
}

/** Lists the differences of a summary from the input; empty if there are none. */
export function summaryDifferences(
  summary: Readonly<Record<string, unknown>>,
  { summary: expected, closedAtLeast }: Pick<ExpectedClose, 'summary' | 'closedAtLeast'>,
): string[] {
  const different: string[] = [];
  // As a processor writes it that has not heard of them.
  const found: Readonly<Record<string, unknown>> = { state: 'CLOSED', capped: false, ...summary };
  for (const [name, value] of expected) {
    if (value === UNDECIDED && name === 'reduced') continue;
    if (name === 'closedAt' && isBetween(found[name], closedAtLeast, value)) continue;
    if (!isSame(name === 'reduced' ? plain(found[name]) : found[name], value))
      different.push(`${name} is ${shown(found[name])}, by the input ${shown(value)}`);
  }
  return different;
}

function isBetween(found: unknown, least: Millis, most: unknown): boolean {
  return typeof found === 'number' && found >= least && found <= Number(most);
}
