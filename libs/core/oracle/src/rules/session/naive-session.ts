// One key's sessions by the rules, written as simply as they are (S1–S7): the open session, and the records written.
//
// Shares no code with what it judges.
import type { Millis } from '@flatline/base';
import type { InputEvent, InputOfSeveral, InputRecord, PipelineRules } from '../../logs/history.ts';
import { textOf } from '../../logs/byte-names.ts';
import { hasCommand } from '../../logs/acts.ts';
import type { SaidEviction } from '../../logs/evictions.ts';
import { jsonObject } from '../../logs/json-event.ts';
import { nameAt } from '../../logs/places.ts';
import { eventIn, fieldsIn, OTHER_KEY } from '../attributes-in.ts';
import type { Machine, When } from '../entry-rules.ts';
import type { HeldGaps } from '../held-gaps.ts';
import { Telling } from '../telling.ts';
import { bare, finishedOf, Refused, type Seen } from '../reducing/naive-reducer.ts';
import { type ExpectedClose, expectedSummary } from './expected-close.ts';
import { isLateAlone, onOwnInput, toldData, withEnd, withEvent } from './event-time.ts';
import {
  type Activity,
  asCapped,
  begunWith,
  newEarlyData,
  newSession,
  owesUpdate,
  type Session,
  withActivity,
  withData,
} from './session-state.ts';

export const ENDED = 'ENDED';
const END_EVENT: InputEvent = {
  type: ENDED,
  occurredAt: undefined,
  eventId: undefined,
  sequence: undefined,
  timeoutMs: undefined,
  attributes: undefined,
  source: undefined,
};

interface OfKey {
  readonly partition: number;
  readonly key: Uint8Array;
}

interface Closing {
  /** Empty: it lives. */
  readonly reason: string;
  /** Q4. Default: no operator ended it. */
  readonly byOperator?: boolean;
  readonly closedAt: Millis;
  readonly closedAtLeast: Millis;
  /** Event time of an explicit end; undefined: the last sign of life. */
  readonly endedAt: Millis | undefined;
}

export class NaiveSession extends Telling<ExpectedClose> implements Machine<Session, ExpectedClose> {
  state: Session | undefined;
  readonly #rules: PipelineRules;
  readonly #gaps: HeldGaps;
  readonly #of: OfKey;

  constructor(rules: PipelineRules, gaps: HeldGaps, of: OfKey) {
    super();
    this.#rules = rules;
    this.#gaps = gaps;
    this.#of = of;
  }

  dueAt(): Millis {
    const { revisionWindowMs = 0 } = this.#rules;
    const closed = this.state?.closed;
    if (closed !== undefined) return this.#gaps.end(closed.closedAt, revisionWindowMs);
    return Math.min(Infinity, ...this.#open().map((session) => this.#dueOf(session)));
  }

  due(): void {
    const sessions = this.#open();
    const at = this.dueAt();
    if (this.state?.isEarly === true) {
      this.state = undefined;
      return;
    }
    if (this.state?.closed !== undefined) {
      this.#sayFinal(this.state);
      this.state = undefined;
      return;
    }
    this.#keep(sessions.filter((session) => this.#dueOf(session) > at));
    for (const session of sessions) {
      const closedAt = this.#dueOf(session);
      if (closedAt > at) continue;
      const { endedAt } = session;
      const isLongest = this.#longestEnd(session) <= this.#silenceEnd(session);
      const reason = endedAt !== undefined ? ENDED : isLongest ? 'MAX_DURATION' : 'TIMEOUT';
      const isLast = this.state === undefined && session === sessions.at(-1);
      this.#close(session, { reason, closedAt, closedAtLeast: closedAt, endedAt }, isLast);
    }
  }

  take(record: InputRecord, when: When): boolean {
    if (record.value === null && hasCommand(record.headers, 'END') && !hasCommand(record.headers, 'ERASE')) {
      const at = { closedAt: when.clock, closedAtLeast: when.clockAtLeast };
      this.#endThose(() => true, { reason: ENDED, byOperator: true, endedAt: undefined, ...at });
      return true;
    }
    if (record.value === null && hasCommand(record.headers, 'ERASE')) {
      if (this.state?.closed !== undefined) this.#sayFinal(this.state);
      this.state = undefined;
      return true;
    }
    try {
      return this.#take(record, when);
    } catch (error) {
      // S10: the event, and nothing of it.
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  isConcerned(eviction: SaidEviction): boolean {
    return this.#unended().some((session) => isOf(session, eviction));
  }

  evict(eviction: SaidEviction): void {
    const at = { closedAt: eviction.at, closedAtLeast: eviction.atLeast };
    this.#endThose((session) => isOf(session, eviction), { reason: 'EVICTED', endedAt: undefined, ...at });
  }

  /** Open sessions that no end has met (C7). */
  #unended(): readonly Session[] {
    if (this.state === undefined || this.state.isEarly || this.state.closed !== undefined) return [];
    return this.#open().filter(({ endedAt }) => endedAt === undefined);
  }

  /** Q4: an act is no event. */
  #endThose(which: (session: Session) => boolean, closing: Closing): void {
    const ended = this.#unended().filter(which);
    const isEnded = ({ firstOffset }: Session): boolean => ended.some((each) => each.firstOffset === firstOffset);
    if (ended.length > 0) this.#keep(this.#open().filter((session) => !isEnded(session)));
    for (const session of ended) this.#close(session, closing, this.state === undefined && session === ended.at(-1));
  }

  #take(record: InputRecord, when: When): boolean {
    const event = eventOf(record, this.#rules);
    if (event === 'bad') return false;
    const { effectiveAt, offset } = when;
    const occurredAt = event?.occurredAt ?? record.timestamp;
    const seen = seenIn(record, event, this.#rules, effectiveAt);
    const activity = { offset, effectiveAt, occurredAt, timestamp: record.timestamp, event, seen };
    const { state } = this;
    const input = this.#rules.inputs?.[record.input ?? 0];
    if (state?.closed !== undefined) return this.#takeAfterClose(state, input, { record, activity }, when);
    if (input !== undefined) return this.#takeOf(input, activity, when);
    const isInOrder = this.#rules.graceMs === 0 && (state === undefined || isPlain(state));
    if (!isInOrder) return this.#takeByTime(activity, when);
    return this.#takeInOrder(state === undefined ? activity : asCapped(activity, state, this.#rules), when);
  }

  /** S9: a record of a key whose session has closed, and may be revised. */
  #takeAfterClose(
    session: Session,
    input: InputOfSeveral | undefined,
    { record, activity }: { readonly record: InputRecord; readonly activity: Activity },
    when: When,
  ): boolean {
    const isEnd = activity.event?.type === ENDED;
    const isByTime = input === undefined || (input.touches && this.#rules.graceMs > 0);
    if (isByTime) return this.#takeLate(session, { record, activity }, when, input?.unknownKey);
    if (isEnd) return true;
    if (input.touches) return input.unknownKey === 'open' && this.#takeNext(session, record, when);
    if (this.#isCapped(session, session.closed!)) return true;
    const said = asCapped(activity, session, this.#rules);
    this.#revise(session, withData(session, this.#rules, said));
    return true;
  }

  /** S9, by event time. */
  #takeLate(
    session: Session,
    { record, activity }: { readonly record: InputRecord; readonly activity: Activity },
    when: When,
    unknownKey: InputOfSeveral['unknownKey'] = 'open',
  ): boolean {
    const alone = [{ ...session, closed: undefined }];
    const at = { gaps: this.#gaps, clock: when.clock };
    if (activity.event?.type === ENDED) {
      const ended = withEnd(alone, this.#rules, activity, this.#gaps);
      if (ended !== undefined) this.#revise(session, ended.sessions[0]!);
      return true;
    }
    if (!isLateAlone(this.#rules, activity, when.clock))
      return unknownKey === 'open' && this.#takeNext(session, record, when);
    const placed = withEvent(alone, this.#rules, activity, at);
    if (typeof placed === 'string') return this.#rules.late === 'drop';
    if (this.#isCapped(session, session.closed!)) return true;
    this.#revise(session, placed.sessions[0]!);
    return true;
  }

  /** S9: the next session of the key, which ends the window of the one before; not by an event that a reducer refuses (S10). */
  #takeNext(session: Session, record: InputRecord, when: When): boolean {
    this.#sayFinal(session);
    this.state = undefined;
    const isTaken = this.take(record, when);
    if (!isTaken) this.state = session;
    return isTaken;
  }

  /** S9: a duplicate has said nothing new. */
  #revise(before: Session, after: Session): void {
    const duplicates = after.duplicates - before.duplicates;
    this.repeated(duplicates);
    if (duplicates > 0) return;
    const { closedAt, reason: former, byOperator: wasByOperator, revision } = before.closed!;
    const { endedAt } = after;
    const reason = endedAt === undefined ? former : ENDED;
    const byOperator = endedAt === undefined && wasByOperator;
    this.state = { ...after, later: [], closed: { closedAt, reason, byOperator, revision: revision + 1 } };
    this.#say('CLOSED', this.state, { reason, byOperator, closedAt, closedAtLeast: closedAt, endedAt }, true);
  }

  #sayFinal({ firstOffset, closed }: Session): void {
    if (this.#rules.tombstones === false) return;
    const incarnation = nameAt(this.#of.partition, firstOffset);
    const { closedAt, reason, revision } = closed!;
    const summary = new Map(Object.entries({ sessionId: textOf(this.#of.key), incarnation, state: 'FINAL' }));
    const at = { deadlineAt: closedAt, closedAtLeast: closedAt, reason, revision };
    this.tell({ state: 'FINAL', incarnation, lastSeenAt: 0, isRevisable: false, ...at, summary });
  }

  /** S8: a record of one of several inputs. */
  #takeOf(input: InputOfSeveral, activity: Activity, when: When): boolean {
    const { state } = this;
    const session = state?.isEarly === true ? undefined : state;
    if (activity.event?.type === ENDED && (!input.touches || session === undefined)) return true;
    const opens = input.unknownKey === 'open';
    const isData = session === undefined ? !input.touches && !opens : !input.touches;
    const isByTime = this.#rules.graceMs > 0 || (session !== undefined && !isPlain(session));
    if (isByTime && session !== undefined) {
      if (!isData) return this.#takeByTime(activity, when, !opens);
      this.#takeDataByTime(activity);
      return true;
    }
    if (isByTime && !isData && isLateAlone(this.#rules, activity, when.clock)) return this.#rules.late === 'drop';
    if (session === undefined && (input.unknownKey === 'deadLetter' || (input.touches && !opens))) return false;
    const said = state === undefined ? activity : asCapped(activity, state, this.#rules);
    if (isData) {
      this.#takeData(input, said);
      return true;
    }
    return this.#takeInOrder(session === undefined ? said : onOwnInput(session, said), when);
  }

  #takeData({ holdMs }: InputOfSeveral, activity: Activity): void {
    const before = this.state ?? newEarlyData(activity, this.#rules, holdMs);
    const after = withData(before, this.#rules, activity);
    this.repeated(after.duplicates - before.duplicates);
    if (!before.isEarly) this.state = after;
    else this.state = { ...after, timeoutMs: holdMs, lastSeenAt: Math.max(before.lastSeenAt, activity.effectiveAt) };
  }

  #takeDataByTime(activity: Activity): void {
    const sessions = this.#open();
    const met = toldData(sessions, activity, this.#gaps);
    const told = withData(met, this.#rules, asCapped(activity, met, this.#rules));
    this.repeated(told.duplicates - met.duplicates);
    this.#keep(sessions.map((each) => (each === met ? told : each)));
  }

  #takeInOrder(activity: Activity, { clock, clockAtLeast }: When): boolean {
    const isEnd = activity.event?.type === ENDED;
    if (isEnd && this.state === undefined) return true;
    const isLive = this.state?.isEarly === false;
    const { state } = this;
    const early = state?.isEarly === true ? begunWith(state, this.#rules, activity) : undefined;
    const before = early ?? state ?? newSession(activity, this.#rules);
    const session = withActivity(before, this.#rules, activity);
    if (!isLive) this.began();
    this.repeated(session.duplicates - before.duplicates);
    this.state = session;
    if (!isEnd) this.#tellOf(isLive ? before : undefined, session, { clock, clockAtLeast });
    else {
      this.state = undefined;
      const closing = { closedAt: clock, closedAtLeast: clockAtLeast, endedAt: activity.occurredAt };
      this.#close({ ...session, endedAt: activity.occurredAt }, { reason: ENDED, ...closing }, true);
    }
    return true;
  }

  /** S11. `before`: undefined: it opens. */
  #tellOf(before: Session | undefined, session: Session, at: Pick<When, 'clock' | 'clockAtLeast'>): void {
    const { sayOpened = false } = this.#rules;
    if (before === undefined ? !sayOpened : !owesUpdate(before, session, this.#rules)) return;
    if (before?.toldAt !== undefined) this.state = { ...session, toldAt: session.lastSeenAt };
    const asOf = { reason: '', closedAt: at.clock, closedAtLeast: at.clockAtLeast, endedAt: undefined } as const;
    this.#say(before === undefined ? 'OPENED' : 'UPDATED', session, asOf);
  }

  /** C7 */
  #takeByTime(activity: Activity, { clock }: When, opensNone = false): boolean {
    const sessions = this.#open();
    const at = { gaps: this.#gaps, clock, opensNone };
    const isEnd = activity.event?.type === ENDED;
    const placed = isEnd
      ? withEnd(sessions, this.#rules, activity, this.#gaps)
      : withEvent(sessions, this.#rules, activity, at);
    if (placed === undefined) return true;
    if (placed === 'late') return this.#rules.late === 'drop';
    if (placed === 'tooMany' || placed === 'unknown') return false;
    this.began(placed.more);
    this.repeated(placed.duplicates);
    this.#keep(placed.sessions);
    return true;
  }

  #open(): readonly Session[] {
    return this.state === undefined ? [] : openIn(this.state);
  }

  #keep([first, ...later]: readonly Session[]): void {
    this.state = first && { ...first, later };
  }

  /** `isLast`: the key has no other session, so this one may wait for revisions (S9). */
  #close(session: Session, closing: Closing, isLast: boolean): void {
    const { revisionWindowMs = 0 } = this.#rules;
    const isKept = isLast && revisionWindowMs > 0;
    this.#say('CLOSED', session, closing, isKept);
    if (!isKept) return;
    const { reason, byOperator = false, closedAt } = closing;
    this.state = { ...session, later: [], closed: { closedAt, reason, byOperator, revision: 0 } };
  }

  #isCapped({ eventCount }: Session, { reason, byOperator = false }: Pick<Closing, 'reason' | 'byOperator'>): boolean {
    // An end is taken, however many came before it (S13).
    return eventCount - (reason === ENDED && !byOperator ? 1 : 0) > (this.#rules.maxEvents ?? Infinity);
  }

  #say(state: ExpectedClose['state'], session: Session, closing: Closing, isRevisable = false): void {
    const { reason, closedAt, closedAtLeast, endedAt } = closing;
    const revision = session.closed?.revision ?? 0;
    const deadlineAt = this.#deadlineOf({ ...session, endedAt: undefined });
    const heldMs = this.#gaps.within(session.lastSeenAt, closedAt) || undefined;
    const summary = expectedSummary(session, {
      ...this.#of,
      state,
      revision,
      capped: this.#isCapped(session, closing),
      byOperator: closing.byOperator,
      reduced: this.#rules.reducer && finishedOf(this.#rules.reducer, session.reduced),
      reason,
      closedAt,
      deadlineAt,
      heldMs,
      endedAt,
    });
    const incarnation = nameAt(this.#of.partition, session.firstOffset);
    this.tell({
      state,
      lastSeenAt: session.lastSeenAt,
      incarnation,
      revision,
      isRevisable,
      deadlineAt,
      reason,
      closedAtLeast,
      summary,
    });
  }

  /** An explicit end that waits for the grace leaves no silence to wait for. */
  #silenceEnd({ lastSeenAt, timeoutMs, endedAt }: Session): Millis {
    return endedAt === undefined ? this.#gaps.end(lastSeenAt, timeoutMs) : lastSeenAt;
  }

  #longestEnd({ openedAt, isEarly }: Session): Millis {
    const { maxDurationMs } = this.#rules;
    return maxDurationMs === undefined || isEarly ? Infinity : this.#gaps.end(openedAt, maxDurationMs);
  }

  #deadlineOf(session: Session): Millis {
    const { bucketMs = 0 } = this.#rules;
    const end = Math.min(this.#silenceEnd(session), this.#longestEnd(session));
    // The bucket that it lies in is waited for; data that no session has taken waits for none.
    return bucketMs === 0 || session.isEarly ? end : end - (end % bucketMs) + bucketMs;
  }

  #dueOf(session: Session): Millis {
    return this.#deadlineOf(session) + this.#rules.graceMs;
  }
}

/** All open sessions of a key, in the order of their times. */
export function openIn(state: Session): readonly Session[] {
  return [{ ...state, later: [] }, ...state.later];
}

/** Q4: as it was before the eviction's record, it had the attribute. */
function isOf({ lastOffset, attributes }: Session, { attribute, equals, offset }: SaidEviction): boolean {
  return lastOffset < offset && attributes.get(attribute)?.value === equals;
}

/** True if disorder has left nothing beside it (C7). */
export function isPlain({ endedAt, absorbed, later }: Session): boolean {
  return endedAt === undefined && absorbed.length === 0 && later.length === 0;
}

/** A record with a value, as a reducer sees it (S10): of its attributes those that get in (E1). */
function seenIn(
  record: InputRecord,
  event: InputEvent | undefined,
  rules: PipelineRules,
  effectiveAt: Millis,
): (() => Seen) | undefined {
  const { value, offset, timestamp } = record;
  if (rules.reducer === undefined || event === undefined || value === null) return undefined;
  return () => {
    const { fields = jsonObject(value) } = record;
    // Fields of another schema were passed over till now.
    if (fields === 'bad') throw new Refused('its fields cannot be read');
    const attributes = Object.fromEntries(event.attributes ?? []);
    return {
      type: event.type,
      attributes: bare(attributes) as Seen['attributes'],
      fields: bare(fieldsIn(fields ?? {}, attributes, rules, record)),
      occurredAt: event.occurredAt ?? timestamp,
      effectiveAt,
      offset,
      isUndecided: Object.values(attributes).includes(OTHER_KEY),
    };
  };
}

/** undefined: a bare sign of life. */
export function eventOf(record: InputRecord, rules: PipelineRules): InputEvent | 'bad' | undefined {
  const { value, event } = record;
  if (value === null) return END_EVENT;
  if (value.length === 0 || event === undefined || event === 'bad') return value.length === 0 ? undefined : event;
  return eventIn(event, rules, record);
}
