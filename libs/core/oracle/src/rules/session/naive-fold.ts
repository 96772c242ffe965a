// The input of one partition folded by the rules, as simply as they are written (C1, S1–S7, I1, I2): a Map and a clock.
//
// Owns: the open sessions, the clock.      Does not own: what was really closed (that is what is judged by it).
//
// Invariants
//   NF1  A session that is due stays open here until its key's next record, or until the processor is seen to have closed
//        it: by the rules both say the same (S3).
//   NF2  Shares no code with the core.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../../logs/byte-names.ts';
import { expectedSummary, type ExpectedClose } from './expected-close.ts';
import { HeldGaps } from './held-gaps.ts';
import { OpenSessions, weightOf } from './open-sessions.ts';
import type { InputRecord, PipelineRules } from '../../logs/history.ts';
import {
  type Activity,
  apply,
  deadlineOf,
  heldOf,
  keepDue,
  newSession,
  reasonOf,
  type Session,
} from './naive-session.ts';

const ENDED = 'ENDED';
const END_EVENT = {
  type: ENDED,
  occurredAt: undefined,
  eventId: undefined,
  sequence: undefined,
  timeoutMs: undefined,
  attributes: undefined,
} as const;

/** docs/SPEC.md, I7. */
const ENTRIES_MAX = 33_000_000;
const KEY_BYTES_MAX = 1_879_048_192;

interface Keyed {
  readonly record: InputRecord;
  readonly isSaidFull: boolean | undefined;
}

/** What happened on the way. */
export interface FoldCounts {
  /** Sessions opened. */
  opened: number;
  /** Events counted as duplicates, keyed records that were no events, clock records. */
  duplicates: number;
  badRecords: number;
  clockRecords: number;
  /** Records of the other timestamp type, from before the input had its own (C6). */
  formerTypeRecords: number;
}

export class NaiveFold {
  /** By the name of the key. */
  readonly open = new OpenSessions();
  clock: Millis = 0;
  /** The clock if stamps beyond what their commit states have moved nothing: only the present of then told how far they did (C6). */
  #clockAtLeast: Millis = 0;
  readonly #partition: number;
  readonly #rules: PipelineRules;
  readonly #counts: FoldCounts;
  readonly #held: HeldGaps;
  #closed: ExpectedClose[] = [];
  /** Bytes of the keys in `#closed`. */
  #closedKeyBytes = 0;
  #touched = new Set<string>();
  #bad: number[] = [];
  /** Offset of the last record that was bad. */
  lastBad = -1;

  constructor(partition: number, rules: PipelineRules, counts: FoldCounts) {
    this.#partition = partition;
    this.#rules = rules;
    this.#counts = counts;
    this.#held = new HeldGaps(rules);
  }

  /** Closes since the last call, in the order of the log. */
  takeClosed(): ExpectedClose[] {
    const closed = this.#closed;
    this.#closed = [];
    this.#closedKeyBytes = 0;
    return closed;
  }

  /** Keys that had a record since the last call. */
  takeTouched(): Set<string> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  /** Offsets of records that were no events since the last call, in order. */
  takeBad(): number[] {
    const bad = this.#bad;
    this.#bad = [];
    return bad;
  }

  /** Notes a record that changes nothing (I1). */
  refuse({ offset }: InputRecord): void {
    this.#counts.badRecords += 1;
    this.#bad.push(offset);
    this.lastBad = offset;
  }

  /** Has the key compared with the next commit. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  deadlineOf(session: Session): Millis {
    return deadlineOf(session, this.#rules, this.#held);
  }

  isDue(session: Session): boolean {
    return this.deadlineOf(session) <= this.clock;
  }

  /** C1 */
  advance(timestamp: Millis): void {
    this.#advance(timestamp);
    this.#clockAtLeast = this.clock;
  }

  /** Behind its last record the clock is what a commit states. */
  endCommit(): void {
    this.#clockAtLeast = this.clock;
  }

  #advance(timestamp: Millis): void {
    const before = this.clock;
    if (this.#held.joins(before, timestamp))
      for (const session of this.open.values()) if (this.isDue(session)) keepDue(session, this.#rules, this.#held);
    this.clock = Math.max(before, timestamp);
    this.#held.passed(before, this.clock);
  }

  /** Whether it is of the other timestamp type and precedes the first record that moved the clock: history (C6). */
  isFormer(record: InputRecord): boolean {
    return this.clock === 0 && this.isOtherType(record);
  }

  isOtherType({ logAppendTime }: InputRecord): boolean {
    return logAppendTime !== (this.#rules.timestampType === 'LogAppendTime');
  }

  /**
   * `isSaidFull`: whether the processor says that there was no room for it (I7); undefined: the clock here is the one it had.
   * `latest`: on CreateTime the clock that the commit of this record states, beyond which no stamp has moved it (C6).
   */
  record(record: InputRecord, latest: Millis = Infinity, isSaidFull?: boolean): void {
    if (this.isFormer(record)) {
      this.#counts.formerTypeRecords += 1;
      return;
    }
    // Stamps below 0 are bad input and move nothing (C6).
    if (record.timestamp < 0) this.refuse(record);
    else this.#timed(record, latest, isSaidFull);
  }

  #timed(record: InputRecord, latest: Millis, isSaidFull: boolean | undefined): void {
    const { key, value, timestamp } = record;
    this.#advance(Math.min(timestamp, latest));
    if (timestamp <= latest) this.#clockAtLeast = Math.max(this.#clockAtLeast, timestamp);
    if (record.lastOffset !== undefined) this.refuse(record);
    else if (key === null) {
      const isClockRecord = record.hasClockHeader && (value === null || value.length === 0);
      if (isClockRecord) this.#counts.clockRecords += 1;
      else this.refuse(record);
    } else if (key.length > this.#rules.maxKeyBytes) this.refuse(record);
    else this.#keyed(nameOf(key), key, { record, isSaidFull });
  }

  /** I7: what is due at the clock takes no room. */
  #isFullFor(name: string): boolean {
    const { entriesMax = ENTRIES_MAX, keyBytesMax = KEY_BYTES_MAX } = this.#rules;
    const weight = weightOf(name);
    if (this.open.size < entriesMax && this.open.keyBytes + weight <= keyBytesMax) return false;
    let [live, keyBytes] = [0, 0];
    for (const [each, session] of this.open) {
      if (this.isDue(session)) continue;
      live += 1;
      keyBytes += weightOf(each);
    }
    return live >= entriesMax || keyBytes + weight > keyBytesMax;
  }

  /** Whether any clock could make it full: an earlier one leaves alive what has closed here since the last commit, and no more. */
  #mayBeFullFor(name: string): boolean {
    const { entriesMax = ENTRIES_MAX, keyBytesMax = KEY_BYTES_MAX } = this.#rules;
    const { size, keyBytes } = this.open;
    return size + this.#closed.length >= entriesMax || keyBytes + this.#closedKeyBytes + weightOf(name) > keyBytesMax;
  }

  #keyed(name: string, key: Uint8Array, { record, isSaidFull }: Keyed): void {
    this.#touched.add(name);
    const former = this.open.get(name);
    if (former !== undefined && this.isDue(former)) this.closeDue(name, key);
    const { value, timestamp, offset, logAppendTime } = record;
    const event = value === null ? END_EVENT : value.length === 0 ? undefined : record.event;
    if (event === 'bad') {
      this.refuse(record);
      return;
    }
    const opens = event?.type !== ENDED && !this.open.has(name);
    // Where producers stamp, the present bounds the clock and only the processor knew it (C6): it is believed, within reason.
    const knowsClock = logAppendTime || isSaidFull === undefined;
    if (opens && (knowsClock ? this.#isFullFor(name) : isSaidFull && this.#mayBeFullFor(name))) {
      this.refuse(record);
      return;
    }
    const effectiveAt = logAppendTime ? this.clock : timestamp;
    const activity: Activity = { offset, effectiveAt, occurredAt: event?.occurredAt ?? timestamp, event };
    const session = this.#sessionFor(name, activity);
    if (session === undefined) return;
    const { duplicates } = session;
    apply(session, this.#rules, activity);
    this.#counts.duplicates += session.duplicates - duplicates;
    if (event?.type === ENDED)
      this.#close(name, key, { reason: ENDED, closedAt: this.clock, endedAt: activity.occurredAt });
  }

  #sessionFor(name: string, activity: Activity): Session | undefined {
    const live = this.open.get(name);
    if (live !== undefined || activity.event?.type === ENDED) return live;
    const session = newSession(activity, this.#rules);
    this.open.set(name, session);
    this.#counts.opened += 1;
    return session;
  }

  /** Closes a session as of its deadline: the clock has reached it. */
  closeDue(name: string, key: Uint8Array): void {
    const session = this.open.get(name)!;
    const closedAt = this.deadlineOf(session);
    this.#close(name, key, { reason: reasonOf(session, this.#rules, this.#held), closedAt, endedAt: undefined });
  }

  #close(
    name: string,
    key: Uint8Array,
    closing: { readonly reason: string; readonly closedAt: Millis; readonly endedAt: Millis | undefined },
  ): void {
    const session = this.open.get(name)!;
    this.open.delete(name);
    const summary = expectedSummary(session, {
      ...closing,
      key,
      partition: this.#partition,
      deadlineAt: this.deadlineOf(session),
      heldMs: heldOf(session, this.#held, closing.closedAt),
    });
    const { firstOffset, eventCount, duplicates } = session;
    this.#closedKeyBytes += weightOf(name);
    this.#closed.push({
      name,
      text: textOf(key),
      incarnation: `${this.#partition}-${firstOffset}`,
      firstOffset,
      deadlineAt: this.deadlineOf(session),
      reason: closing.reason,
      closedAtLeast: closing.reason === ENDED ? this.#clockAtLeast : closing.closedAt,
      activities: eventCount + duplicates,
      summary,
    });
  }
}
