// The sessions of one partition folded by the rules, as simply as they are written (S1–S7): a Map and a clock.
//
// Owns: the open sessions.
// Does not own: what was really closed (that is what is judged by it).
//
// Invariants
//   NF1  A session that is due stays open here until its key's next record, or until the processor is seen to have closed
//        it: by the rules both say the same (S3).
import type { Millis } from '@flatline/base';
import { textOf } from '../../logs/byte-names.ts';
import {
  ENTRY_BYTES,
  InputFold,
  type FoldCounts,
  type Keyed,
  PAGE_BYTES_MAX,
  STATE_ON_TOP,
  STATE_PER_BYTE,
  type Weight,
  weightOf,
} from '../input-fold.ts';
import { expectedSummary, type ExpectedClose } from './expected-close.ts';
import { OpenSessions } from './open-sessions.ts';
import { textsSize } from './state-size.ts';
import { HEARTBEAT } from '../../logs/json-event.ts';
import type { PipelineRules } from '../../logs/history.ts';
import {
  type Activity,
  apply,
  deadlineOf,
  heldOf,
  isOfSource,
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
  source: undefined,
} as const;

export class NaiveFold extends InputFold<PipelineRules> {
  override readonly reckonsState = true;
  /** By the name of the key. */
  readonly open = new OpenSessions();
  readonly #partition: number;
  #closed: ExpectedClose[] = [];
  /** Closes since the last commit, and the bytes of their keys. */
  #closedEntries = 0;
  #closedKeyBytes = 0;
  /** Bytes of their texts. */
  #closedTextBytes = 0;

  constructor(partition: number, rules: PipelineRules, counts: FoldCounts) {
    super(rules, counts);
    this.#partition = partition;
  }

  /** Closes since the last call, in the order of the log; a commit shows them. */
  takeClosed(): ExpectedClose[] {
    this.#closedEntries = 0;
    this.#closedKeyBytes = 0;
    this.#closedTextBytes = 0;
    return this.drainClosed();
  }

  /** The same before that commit is there: by another clock than the one here they may live in it (I7). */
  drainClosed(): ExpectedClose[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  deadlineOf(session: Session): Millis {
    return deadlineOf(session, this.rules, this.held);
  }

  isDue(session: Session): boolean {
    return this.deadlineOf(session) <= this.clock;
  }

  protected override moving(before: Millis, after: Millis): void {
    if (!this.held.joins(before, after)) return;
    for (const session of this.open.values()) if (this.isDue(session)) keepDue(session, this.rules, this.held);
  }

  protected override moved(): void {
    // NF1
  }

  protected override living(): Weight {
    let [entries, keyBytes] = [0, 0];
    for (const [name, session] of this.open) {
      if (this.isDue(session)) continue;
      entries += 1;
      keyBytes += weightOf(name);
    }
    return { entries, keyBytes };
  }

  protected override livingAtMost(): Weight {
    return { entries: this.open.size, keyBytes: this.open.keyBytes };
  }

  protected override statesAtMost(): number {
    return this.open.textBytes + this.#closedTextBytes;
  }

  protected override letGo(): Weight {
    return { entries: this.#closedEntries, keyBytes: this.#closedKeyBytes };
  }

  protected override keyed({ name, key, record, effectiveAt, isFull, saysStateFull }: Keyed): void {
    const former = this.open.get(name);
    if (former !== undefined && this.isDue(former)) this.closeDue(name, key);
    const { value, timestamp, offset } = record;
    const event = value === null ? END_EVENT : value.length === 0 ? undefined : record.event;
    if (event === 'bad') {
      this.refuse(record);
      return;
    }
    const opens = event?.type !== ENDED && !this.open.has(name);
    const activity: Activity = { offset, effectiveAt, occurredAt: event?.occurredAt ?? timestamp, event };
    const needsRoom = opens || this.#hasTexts(activity);
    const outgrows = (): boolean => saysStateFull ?? this.#outgrows(name, activity, value);
    if ((opens && isFull()) || (event?.type !== ENDED && needsRoom && outgrows())) {
      this.refuse(record);
      return;
    }
    const session = this.#sessionFor(name, activity);
    if (session === undefined) return;
    const { duplicates } = session;
    const before = textsSize(session);
    apply(session, this.rules, activity);
    this.open.textBytes += textsSize(session) - before;
    this.counts.duplicates += session.duplicates - duplicates;
    if (event?.type === ENDED)
      this.#close(name, key, { reason: ENDED, closedAt: this.clock, endedAt: activity.occurredAt });
  }

  /** True if more than a heartbeat needs room: types, remembered ids, attributes, sources (I7). */
  #hasTexts({ event }: Activity): boolean {
    if (event === undefined) return false;
    const isRemembered = event.eventId !== undefined && this.rules.dedupeEventIds > 0;
    return event.type !== HEARTBEAT || isRemembered || event.attributes !== undefined || isOfSource(event, this.rules);
  }

  /** I7: whether what lives would take more than it may. `value`: of the record, which bounds what its event needs. */
  #outgrows(name: string, activity: Activity, value: Uint8Array | null): boolean {
    const { pageBytesMax = PAGE_BYTES_MAX, stateBytesMax = Infinity } = this.rules;
    const isOver = (keyBytes: number, size: number, texts: number): boolean =>
      size * ENTRY_BYTES + keyBytes + texts > stateBytesMax || texts > pageBytesMax;
    const { open } = this;
    const atMost = STATE_ON_TOP + STATE_PER_BYTE * (value?.length ?? 0);
    if (!isOver(open.keyBytes + weightOf(name), open.size + 1, open.textBytes + atMost)) return false;
    const former = open.get(name);
    const then = former === undefined ? newSession(activity, this.rules) : structuredClone(former);
    apply(then, this.rules, activity);
    const grownBy = textsSize(then) - (former === undefined ? 0 : textsSize(former));
    if (former !== undefined && grownBy <= 0) return false;
    const needed = former === undefined ? { keyBytes: weightOf(name), size: 1 } : { keyBytes: 0, size: 0 };
    let { keyBytes, size } = needed;
    let texts = grownBy;
    for (const [each, session] of open) {
      if (this.isDue(session)) continue;
      keyBytes += weightOf(each);
      size += 1;
      texts += textsSize(session);
    }
    return isOver(keyBytes, size, texts);
  }

  #sessionFor(name: string, activity: Activity): Session | undefined {
    const live = this.open.get(name);
    if (live !== undefined || activity.event?.type === ENDED) return live;
    const session = newSession(activity, this.rules);
    this.open.set(name, session);
    this.counts.opened += 1;
    return session;
  }

  /** Closes a session as of its deadline: the clock has reached it. */
  closeDue(name: string, key: Uint8Array): void {
    const session = this.open.get(name)!;
    this.dues += 1;
    const closedAt = this.deadlineOf(session);
    this.#close(name, key, { reason: reasonOf(session, this.rules, this.held), closedAt, endedAt: undefined });
  }

  #close(
    name: string,
    key: Uint8Array,
    closing: { readonly reason: string; readonly closedAt: Millis; readonly endedAt: Millis | undefined },
  ): void {
    const session = this.open.get(name)!;
    this.#closedTextBytes += textsSize(session);
    this.open.delete(name);
    const summary = expectedSummary(session, {
      ...closing,
      key,
      partition: this.#partition,
      deadlineAt: this.deadlineOf(session),
      heldMs: heldOf(session, this.held, closing.closedAt),
    });
    const { firstOffset, eventCount, duplicates } = session;
    this.#closedEntries += 1;
    this.#closedKeyBytes += weightOf(name);
    this.#closed.push({
      name,
      text: textOf(key),
      incarnation: `${this.#partition}-${firstOffset}`,
      firstOffset,
      deadlineAt: this.deadlineOf(session),
      reason: closing.reason,
      closedAtLeast: closing.reason === ENDED ? this.clockAtLeast : closing.closedAt,
      activities: eventCount + duplicates,
      summary,
    });
  }
}
