// One key's sessions by the rules, as simply as they are written (S1–S7): the session that lives, and what was said.
//
// Shares no code with what it judges.
import type { Millis } from '@flatline/base';
import type { InputEvent, InputRecord, PipelineRules } from '../../logs/history.ts';
import type { Machine, When } from '../entry-rules.ts';
import type { HeldGaps } from '../held-gaps.ts';
import { Telling } from '../telling.ts';
import { type ExpectedClose, expectedSummary } from './expected-close.ts';
import { newSession, type Session, withActivity } from './session-state.ts';

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
  readonly reason: 'TIMEOUT' | 'MAX_DURATION' | typeof ENDED;
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
    return this.state === undefined ? Infinity : this.#deadlineOf(this.state);
  }

  due(): void {
    const session = this.state!;
    const closedAt = this.#deadlineOf(session);
    const reason = this.#longestEnd(session) === closedAt ? 'MAX_DURATION' : 'TIMEOUT';
    this.#close(session, { reason, closedAt, closedAtLeast: closedAt, endedAt: undefined });
  }

  take(record: InputRecord, { clock, clockAtLeast, effectiveAt, offset }: When): boolean {
    const event = eventOf(record);
    if (event === 'bad') return false;
    const isEnd = event?.type === ENDED;
    if (isEnd && this.state === undefined) return true;
    const activity = { offset, effectiveAt, occurredAt: event?.occurredAt ?? record.timestamp, event };
    if (this.state === undefined) this.began();
    const before = this.state ?? newSession(activity, this.#rules);
    const session = withActivity(before, this.#rules, activity);
    this.repeated(session.duplicates - before.duplicates);
    this.state = session;
    if (isEnd)
      this.#close(session, {
        reason: ENDED,
        closedAt: clock,
        closedAtLeast: clockAtLeast,
        endedAt: activity.occurredAt,
      });
    return true;
  }

  #close(session: Session, { reason, closedAt, closedAtLeast, endedAt }: Closing): void {
    this.state = undefined;
    const deadlineAt = this.#deadlineOf(session);
    const heldMs = this.#gaps.within(session.lastSeenAt, closedAt) || undefined;
    const summary = expectedSummary(session, { ...this.#of, reason, closedAt, deadlineAt, heldMs, endedAt });
    const incarnation = `${this.#of.partition}-${session.firstOffset}`;
    this.tell({ incarnation, deadlineAt, reason, closedAtLeast, summary });
  }

  #silenceEnd({ lastSeenAt, timeoutMs }: Session): Millis {
    return this.#gaps.end(lastSeenAt, timeoutMs);
  }

  #longestEnd({ openedAt }: Session): Millis {
    const { maxDurationMs } = this.#rules;
    return maxDurationMs === undefined ? Infinity : this.#gaps.end(openedAt, maxDurationMs);
  }

  #deadlineOf(session: Session): Millis {
    return Math.min(this.#silenceEnd(session), this.#longestEnd(session));
  }
}

/** undefined: it is a bare sign of life. */
export function eventOf({ value, event }: InputRecord): InputEvent | 'bad' | undefined {
  return value === null ? END_EVENT : value.length === 0 ? undefined : event;
}
