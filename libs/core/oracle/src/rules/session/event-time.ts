// Which of a key's open sessions an event belongs to, by the time of both (C7), as docs/SPEC.md says it.
import type { DurationMs, Millis } from '@flatline/base';
import type { PipelineRules } from '../../logs/history.ts';
import { inputOf } from '../../logs/places.ts';
import type { HeldGaps } from '../held-gaps.ts';
import { joinedSessions } from './joined-sessions.ts';
import { type Activity, asCapped, newSession, type Session, withActivity } from './session-state.ts';

/** Open at a time. */
const SESSIONS_MAX = 1_024;

/** Beside another, a session opens without the instant at which it was told of (S11). */
function untold(rules: PipelineRules): PipelineRules {
  return rules.updateIntervalMs === undefined ? rules : { ...rules, updateIntervalMs: undefined };
}

/** When an event comes. */
export interface Coming {
  readonly gaps: Reckoned;
  /** At the event. */
  readonly clock: Millis;
  /** Its input opens no session (S8). Default: it does. */
  readonly opensNone?: boolean;
}

export interface Placed {
  /** In the order of their times. */
  readonly sessions: readonly Session[];
  /** How many more sessions there are; less than 0: so many were joined to others. */
  readonly more: number;
  /** More duplicates than before. */
  readonly duplicates: number;
}

type Reckoned = Pick<HeldGaps, 'end'>;

/** The first instant that the session does not reach. */
function endOf({ lastSeenAt, timeoutMs, endedAt }: Session, gaps: Reckoned): Millis {
  return endedAt === undefined ? gaps.end(lastSeenAt, timeoutMs) : lastSeenAt + 1;
}

function timeoutOf(rules: PipelineRules, { event }: Activity, session: Session | undefined): DurationMs {
  const own = event?.timeoutMs;
  if (own !== undefined) return Math.max(rules.minTimeoutMs, Math.min(rules.maxTimeoutMs, own));
  return session?.timeoutChosen === true ? session.timeoutMs : rules.timeoutMs;
}

/** Sessions that become one with the event, in the order of their times. */
export function metBy(
  sessions: readonly Session[],
  rules: PipelineRules,
  activity: Activity,
  gaps: Reckoned,
): readonly Session[] {
  const { effectiveAt } = activity;
  const candidates = sessions.filter((each) => endOf(each, gaps) > effectiveAt);
  const met: Session[] = [];
  for (const next of candidates) {
    if (met.at(-1)?.endedAt !== undefined) break;
    const seenAt = Math.max(effectiveAt, ...met.map(({ lastSeenAt }) => lastSeenAt));
    const inForce = met.length === 0 ? next : met.findLast(({ timeoutChosen }) => timeoutChosen);
    if (next.openedAt >= gaps.end(seenAt, timeoutOf(rules, activity, inForce))) break;
    met.push(next);
  }
  return met;
}

/** True if the event is of no open session, and its own would be closed by now. */
export function isLateAlone(rules: PipelineRules, activity: Activity, clock: Millis): boolean {
  const { graceMs } = rules;
  return graceMs > 0 && activity.effectiveAt + timeoutOf(rules, activity, undefined) + graceMs <= clock;
}

export function withEvent(
  sessions: readonly Session[],
  rules: PipelineRules,
  activity: Activity,
  { gaps, clock, opensNone = false }: Coming,
): Placed | 'late' | 'tooMany' | 'unknown' {
  const met = metBy(sessions, rules, activity, gaps);
  if (met.length === 0) {
    if (isLateAlone(rules, activity, clock)) return 'late';
    if (opensNone) return 'unknown';
    if (sessions.length >= SESSIONS_MAX) return 'tooMany';
  }
  const one =
    met.length === 0 ? newSession(activity, untold(rules)) : met.reduce((a, b) => joinedSessions(a, b, rules));
  const said = asCapped(onOwnInput(one, activity), one, rules);
  let session = begun(withActivity(one, rules, said), activity);
  const duplicates = session.duplicates - one.duplicates;
  let others = sessions.filter((each) => !met.includes(each));
  // Events within the timeout in force now.
  for (;;) {
    const { openedAt } = session;
    const end = endOf(session, gaps);
    const next = others.find((each) => each.openedAt >= openedAt && each.openedAt < end);
    if (next === undefined) break;
    session = joinedSessions(session, next, rules);
    others = others.filter((each) => each !== next);
  }
  const after = [...others, session].sort((a, b) => a.openedAt - b.openedAt);
  return { sessions: after, more: after.length - sessions.length, duplicates };
}

/** Undefined: no session is open at the end's time. */
export function withEnd(
  sessions: readonly Session[],
  rules: PipelineRules,
  activity: Activity,
  gaps: Reckoned,
): Placed | undefined {
  const { effectiveAt, occurredAt } = activity;
  const met = sessions.find((each) => each.openedAt <= effectiveAt && endOf(each, gaps) > effectiveAt);
  if (met === undefined) return undefined;
  const session = begun(withActivity(met, rules, onOwnInput(met, activity)), activity);
  session.endedAt = Math.max(occurredAt, met.endedAt ?? 0);
  const after = sessions.map((each) => (each === met ? session : each));
  return { sessions: after, more: 0, duplicates: session.duplicates - met.duplicates };
}

/** S8: what only adds data is of the first that ends behind its time, or of the last. */
export function toldData(sessions: readonly Session[], { effectiveAt }: Activity, gaps: Reckoned): Session {
  return sessions.find((each) => endOf(each, gaps) > effectiveAt) ?? sessions.at(-1)!;
}

/** S8: offsets of a session are those of the input on which it began. */
export function onOwnInput({ firstOffset, lastOffset }: Session, activity: Activity): Activity {
  return inputOf(firstOffset) === inputOf(activity.offset) ? activity : { ...activity, offset: lastOffset };
}

function begun(session: Session, { effectiveAt }: Activity): Session {
  return { ...session, openedAt: Math.min(session.openedAt, effectiveAt) };
}
