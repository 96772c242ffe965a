// A session and the effect of an activity on it, written as simply as docs/SPEC.md (S1, S5, S7, S10). Shares nothing with the code
// that it judges.
import type { DurationMs, Millis } from '@flatline/base';
import { HEARTBEAT } from '../../logs/json-event.ts';
import type { InputEvent, PipelineRules } from '../../logs/history.ts';
import { type ReducedState, reducedWith, type Seen } from '../reducing/naive-reducer.ts';
import { missingIn, nothingSeen, type SequenceSpan, withSequence } from './sequence-span.ts';

const TYPES_MAX = 32;
const OTHER = 'OTHER';
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Immutable: each activity replaces it. */
export interface Session {
  /** Data that came before any activity (S8): no session yet, and both offsets are −1. */
  isEarly: boolean;
  openedAt: Millis;
  lastSeenAt: Millis;
  timeoutMs: DurationMs;
  timeoutChosen: boolean;
  firstOffset: number;
  lastOffset: number;
  eventCount: number;
  duplicates: number;
  outOfOrder: number;
  startedAt: Millis;
  lastEventAt: Millis;
  truncated: boolean;
  /** Sequence of the unnamed source. */
  sequence: SequenceSpan | undefined;
  /** Sequences of the named sources, the least recently heard first (S5); undefined: there never was one. */
  sources: readonly { readonly name: string; readonly span: SequenceSpan }[] | undefined;
  /** Number of sequence numbers missing from forgotten sources. */
  missingOfForgotten: number;
  eventIds: readonly string[];
  /** Without heartbeats, which are all other events. */
  types: ReadonlyMap<string, number>;
  attributes: ReadonlyMap<string, { readonly value: string; readonly at: Millis }>;
  /** True if it has had an id that is remembered, a type other than HEARTBEAT, or attributes. */
  hasTexts: boolean;
  /** True if it has had a named source. */
  hasSources: boolean;
  /** When a record last told of it, or it opened (S11); undefined: it opened where no updates were said. */
  toldAt: Millis | undefined;
  /** The result of its reducer (S10). */
  reduced: ReducedState | undefined;
  /** Event time of an explicit end that has not closed it yet (C7). */
  endedAt: Millis | undefined;
  /** First offsets of incarnations that turned out to be this one. */
  absorbed: readonly number[];
  /** The key's other open sessions, in the order of their times, of which this is the first. */
  later: readonly Session[];
  /** S9: it has closed, and may be revised; undefined: it is open. */
  closed: Closed | undefined;
}

export interface Closed {
  /** As of when it did. */
  readonly closedAt: Millis;
  readonly reason: string;
  /** An operator has ended it (Q4). */
  readonly byOperator: boolean;
  /** Revision of the last summary. */
  readonly revision: number;
}

/** Position and times of an activity. */
export interface Activity {
  readonly offset: number;
  readonly effectiveAt: Millis;
  readonly occurredAt: Millis;
  /** The record's own timestamp: what a bare sign of life has for its time. */
  readonly timestamp: Millis;
  readonly event: InputEvent | undefined;
  /** As a reducer sees it, read where one does and nowhere else (@throws Refused); undefined: there is nothing for one. */
  readonly seen?: (() => Seen) | undefined;
}

export function newSession(
  { offset, effectiveAt, occurredAt }: Omit<Activity, 'timestamp'>,
  rules: PipelineRules,
): Session {
  return {
    isEarly: false,
    openedAt: effectiveAt,
    lastSeenAt: effectiveAt,
    timeoutMs: rules.timeoutMs,
    timeoutChosen: false,
    firstOffset: offset,
    lastOffset: offset,
    eventCount: 0,
    duplicates: 0,
    outOfOrder: 0,
    startedAt: occurredAt,
    lastEventAt: occurredAt,
    truncated: false,
    sequence: undefined,
    sources: undefined,
    missingOfForgotten: 0,
    eventIds: [],
    types: NONE,
    attributes: NONE,
    hasTexts: rules.updateIntervalMs !== undefined,
    hasSources: false,
    toldAt: rules.updateIntervalMs === undefined ? undefined : effectiveAt,
    reduced: undefined,
    endedAt: undefined,
    absorbed: [],
    later: [],
    closed: undefined,
  };
}

/** S13: beyond so many events one is taken as a bare sign of life, whatever it says but an end. */
export function asCapped(activity: Activity, session: Session, rules: PipelineRules): Activity {
  const isBeyond = isMuted(activity.event, session, rules);
  return isBeyond ? { ...activity, event: undefined, seen: undefined, occurredAt: activity.timestamp } : activity;
}

/** True if the session hears nothing but a sign of life. */
export function isMuted(
  event: InputEvent | undefined,
  { eventCount }: Pick<Session, 'eventCount'>,
  { maxEvents = Infinity }: PipelineRules,
): boolean {
  return event !== undefined && event.type !== 'ENDED' && eventCount >= maxEvents;
}

/** True if a record has to tell of a session as it is after a sign of life (S11). */
export function owesUpdate(before: Session, after: Session, { updateIntervalMs }: PipelineRules): boolean {
  if (updateIntervalMs === undefined) return false;
  if (before.toldAt !== undefined) return after.lastSeenAt >= before.toldAt + updateIntervalMs;
  const spans = ({ lastSeenAt }: Session): number => Math.floor((lastSeenAt - before.openedAt) / updateIntervalMs);
  return spans(after) !== spans(before);
}

/** S1: every activity counts as a sign of life; S5: a duplicate as nothing else. `before` stays as it was. @throws Refused (S10) */
export function withActivity(before: Session, rules: PipelineRules, activity: Activity): Session {
  const { event, occurredAt, seen } = activity;
  const session = { ...before };
  session.lastSeenAt = Math.max(session.lastSeenAt, activity.effectiveAt);
  session.lastOffset = activity.offset;
  if (event !== undefined && isDuplicate(session, rules, event)) {
    session.duplicates += 1;
    return session;
  }
  if (rules.reducer !== undefined && seen !== undefined)
    session.reduced = reducedWith(rules.reducer, session.reduced, seen());
  if (occurredAt < session.lastEventAt) session.outOfOrder += 1;
  session.startedAt = Math.min(session.startedAt, occurredAt);
  session.lastEventAt = Math.max(session.lastEventAt, occurredAt);
  session.eventCount += 1;
  session.hasTexts ||= event !== undefined && (event.type !== HEARTBEAT || event.attributes !== undefined);
  counted(session, event?.type ?? HEARTBEAT, 1);
  for (const [name, value] of event?.attributes ?? []) kept(session, rules, name, { value, at: occurredAt });
  takeTimeout(session, rules, event?.timeoutMs);
  return session;
}

/** S8: what an input that only adds data says first of a key. */
export function newEarlyData(activity: Activity, rules: PipelineRules, holdMs: DurationMs): Session {
  const { openedAt } = newSession(activity, rules);
  const none = { isEarly: true, firstOffset: -1, lastOffset: -1, startedAt: openedAt, lastEventAt: openedAt };
  return { ...newSession(activity, rules), ...none, timeoutMs: holdMs };
}

/** S8: early data, with the activity that makes it a session. */
export function begunWith(
  early: Session,
  rules: PipelineRules,
  { effectiveAt, occurredAt, offset }: Activity,
): Session {
  return {
    ...early,
    isEarly: false,
    openedAt: effectiveAt,
    lastSeenAt: effectiveAt,
    timeoutMs: rules.timeoutMs,
    firstOffset: offset,
    lastOffset: offset,
    startedAt: occurredAt,
    lastEventAt: occurredAt,
    toldAt: early.toldAt === undefined ? undefined : effectiveAt,
  };
}

/** S8: types, ids and attributes, and no sign of life. @throws Refused (S10) */
export function withData(before: Session, rules: PipelineRules, { event, occurredAt, seen }: Activity): Session {
  const session = { ...before };
  if (event !== undefined && isDuplicate(session, rules, event)) {
    session.duplicates += 1;
    return session;
  }
  if (rules.reducer !== undefined && seen !== undefined)
    session.reduced = reducedWith(rules.reducer, session.reduced, seen());
  session.eventCount += 1;
  session.hasTexts ||= event !== undefined && (event.type !== HEARTBEAT || event.attributes !== undefined);
  counted(session, event?.type ?? HEARTBEAT, 1);
  for (const [name, value] of event?.attributes ?? []) kept(session, rules, name, { value, at: occurredAt });
  return session;
}

function isDuplicate(session: Session, rules: PipelineRules, event: InputEvent): boolean {
  const { eventId } = event;
  if (eventId !== undefined && session.eventIds.includes(eventId)) return true;
  if (!noteSequence(session, rules, event)) return true;
  if (eventId !== undefined && rules.dedupeEventIds > 0) {
    session.eventIds = [...session.eventIds, eventId].slice(-rules.dedupeEventIds);
    session.hasTexts = true;
  }
  return false;
}

/** True if the event is of a named source, whose sequences are kept apart from others'. */
export function isOfSource({ source, sequence }: InputEvent, { maxSources }: PipelineRules): boolean {
  return source !== undefined && sequence !== undefined && maxSources > 0;
}

/** False: seen before. */
function noteSequence(session: Session, rules: PipelineRules, event: InputEvent): boolean {
  const { source, sequence, type } = event;
  if (sequence === undefined) return true;
  const isStart = type === 'STARTED';
  if (source === undefined || !isOfSource(event, rules)) {
    const after = withSequence(session.sequence ?? nothingSeen, sequence, isStart);
    session.sequence = after ?? session.sequence;
    return after !== undefined;
  }
  session.hasTexts = true;
  session.hasSources = true;
  const others = (session.sources ?? []).filter(({ name }) => name !== source);
  const known = session.sources?.find(({ name }) => name === source);
  for (; known === undefined && others.length >= rules.maxSources; others.shift())
    session.missingOfForgotten = Math.min(
      Number.MAX_SAFE_INTEGER,
      session.missingOfForgotten + missingIn(others[0]!.span),
    );
  const span = known?.span ?? nothingSeen;
  const after = withSequence(span, sequence, isStart);
  session.sources = [...others, { name: source, span: after ?? span }];
  return after !== undefined;
}

/** Counts so many events of a type. */
export function counted(session: Session, type: string, count: number): void {
  const { types } = session;
  if (type === HEARTBEAT) return;
  const isBeyond = !types.has(type) && types.size >= TYPES_MAX;
  const name = isBeyond ? OTHER : type;
  // Also where the one that is beyond has that very name.
  if (isBeyond) session.truncated = true;
  session.types = new Map(types).set(name, (types.get(name) ?? 0) + count);
}

/** Keeps an attribute, unless a later event has set it. */
export function kept(
  session: Session,
  rules: PipelineRules,
  name: string,
  attribute: { readonly value: string; readonly at: Millis },
): void {
  const { attributes } = session;
  const former = attributes.get(name);
  if (former !== undefined && former.at > attribute.at) return;
  const after = new Map(attributes).set(name, attribute);
  const length = [...after].reduce((sum, [each, { value }]) => sum + each.length + value.length, 0);
  // A name already there is not one too many, even if more are there than the present settings allow.
  const isBeyond = former === undefined && after.size > rules.maxAttributes;
  if (isBeyond || length > rules.maxAttributeBytes) session.truncated = true;
  else session.attributes = after;
}

function takeTimeout(session: Session, rules: PipelineRules, chosen: DurationMs | undefined): void {
  if (chosen !== undefined) {
    session.timeoutChosen = true;
    session.timeoutMs = Math.max(rules.minTimeoutMs, Math.min(rules.maxTimeoutMs, chosen));
  } else if (!session.timeoutChosen) session.timeoutMs = rules.timeoutMs;
}
