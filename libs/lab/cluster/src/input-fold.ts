// What must come out of one input partition: the rules of docs/SPEC.md once more, naively, over a plain map and in log
// order. It shares no code with the core nor with the checker of libs/core/oracle, knows nothing of wheels, blocks or
// commits, and has no time of its own. The second witness of the simulator and of the faults on a real broker.
import type { LogRecord } from './log-batch.ts';

export interface FoldRules {
  readonly partition: number;
  readonly timeoutMs: number;
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxDurationMs: number | undefined;
  readonly dedupeEventIds: number;
  readonly maxAttributes: number;
  readonly maxAttributeBytes: number;
  readonly maxKeyBytes: number;
  /** How many live at most, and how many bytes their keys have, each rounded up to four (I7). Default: no limit. */
  readonly entriesMax?: number;
  readonly keyBytesMax?: number;
  /** LogAppendTime. */
  readonly byArrival: boolean;
  /** Where the application began: records below are no business of it. Default: 0. */
  readonly start?: number;
  /**
   * Whether a record is refused for what only its maker knows: a stamp too far ahead of the present of then (it moves no
   * clock, C6), or a content that decodes and still says nothing. Default: what does not decode.
   */
  readonly refusalOf?: (record: LogRecord) => 'stamp' | 'content' | undefined;
  /** False where only the present of then could tell how far the stamp moved the clock (C6, `maxLeadMs`): not at all, here. */
  readonly movesClock?: (record: LogRecord) => boolean;
  /** C3: the clock came so far behind the last record, by evidence that no record tells. Default: it did not. */
  readonly clockAtEnd?: number;
  /** C8, where no session lives through so many gaps that they are joined. Default: nothing is held. */
  readonly heldTime?: { readonly unheardMs: number; readonly maxHoldMs: number } | undefined;
}

/** A stretch of the clock that counts for no deadline (C8). */
interface Gap {
  readonly from: number;
  readonly to: number;
}
/** A summary's fields as JSON has them, without `emittedAt`. */
export type FoldedSummary = Readonly<Record<string, unknown>> & { readonly incarnation: string };

/** Where the fold stood after a record. */
interface FoldedStep {
  readonly offset: number;
  readonly clock: number;
  /** Incarnations opened so far. */
  readonly opened: number;
}

export interface Folded {
  readonly summaries: readonly FoldedSummary[];
  /** Keys whose session is open at the end, if the clock stays where it is. */
  readonly open: readonly string[];
  /** When each of them is due. */
  readonly deadlines: ReadonlyMap<string, number>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
  readonly steps: readonly FoldedStep[];
}

interface OpenSession {
  readonly keyBytes: number;
  readonly firstOffset: number;
  readonly openedAt: number;
  lastOffset: number;
  lastSeenAt: number;
  timeoutMs: number;
  timeoutChosen: boolean;
  startedAt: number;
  lastEventAt: number;
  events: number;
  duplicates: number;
  outOfOrder: number;
  truncated: boolean;
  eventIds: string[];
  /** Of the present run of the producer. */
  readonly sequences: Set<number>;
  missingBefore: number;
  readonly types: Map<string, number>;
  readonly attributes: Map<string, { readonly value: string; readonly at: number }>;
}

interface Beginning {
  readonly offset: number;
  readonly effectiveAt: number;
  readonly keyBytes: number;
}

interface FoldedEvent {
  readonly type: string;
  readonly occurredAt?: number;
  readonly eventId?: string;
  readonly sequence?: number;
  readonly timeoutMs?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

const CLOCK_HEADER = 'flatline-clock';
const WINDOW = 64;
/** What a Date can hold. */
const LAST_INSTANT = 8.64e15;

const text = new TextDecoder();

export function foldInput(records: readonly LogRecord[], rules: FoldRules): Folded {
  return new Fold(rules).over(records);
}

class Fold {
  readonly #rules: FoldRules;
  readonly #open = new Map<string, OpenSession>();
  readonly #summaries: FoldedSummary[] = [];
  readonly #refused: number[] = [];
  readonly #steps: FoldedStep[] = [];
  #clock = 0;
  readonly #gaps: Gap[] = [];
  #opened = 0;

  constructor(rules: FoldRules) {
    this.#rules = rules;
  }

  over(records: readonly LogRecord[]): Folded {
    for (const record of records) {
      if (this.#isHistory(record)) continue;
      const refusal = record.timestamp < 0 ? 'stamp' : this.#rules.refusalOf?.(record);
      const moves = refusal !== 'stamp' && this.#rules.movesClock?.(record) !== false;
      if (moves) this.#advance(record.timestamp);
      if (refusal === undefined && record.unreadable === undefined) this.#take(record);
      else this.#refused.push(record.offset);
      this.#steps.push({ offset: record.offset, clock: this.#clock, opened: this.#opened });
    }
    this.#advance(this.#rules.clockAtEnd ?? 0);
    for (const key of [...this.#open.keys()]) this.#closeIfDue(key);
    return {
      summaries: this.#summaries,
      open: [...this.#open.keys()],
      deadlines: new Map([...this.#open].map(([key, session]) => [key, this.#dueAt(session).at])),
      refused: this.#refused,
      steps: this.#steps,
    };
  }

  /** From before the application, or before the input had its timestamp type (C6). */
  #isHistory({ offset, logAppendTime }: LogRecord): boolean {
    const { start = 0, byArrival } = this.#rules;
    return offset < start || (this.#clock === 0 && logAppendTime !== byArrival);
  }

  #take(record: LogRecord): void {
    const { key, value } = record;
    if (key === null) {
      const isClock = (value?.length ?? 0) === 0 && record.headers.some(({ name }) => name === CLOCK_HEADER);
      if (!isClock) this.#refused.push(record.offset);
      return;
    }
    if (key.length > this.#rules.maxKeyBytes) {
      this.#refused.push(record.offset);
      return;
    }
    const name = text.decode(key);
    this.#closeIfDue(name);
    const event = eventOf(value);
    const opens = event !== undefined && event.type !== 'ENDED' && !this.#open.has(name);
    if (event === undefined || (opens && this.#isFull(key.length))) this.#refused.push(record.offset);
    else this.#apply(name, event, record);
  }

  /** I7: who is due takes no room. */
  #isFull(keyLength: number): boolean {
    const { entriesMax = Infinity, keyBytesMax = Infinity } = this.#rules;
    const live = [...this.#open.values()].filter((session) => this.#dueAt(session).at > this.#clock);
    const used = live.reduce((sum, { keyBytes }) => sum + keyBytes, 0);
    return live.length >= entriesMax || used + roundedUp(keyLength) > keyBytesMax;
  }

  #apply(key: string, event: FoldedEvent, record: LogRecord): void {
    const { offset, timestamp } = record;
    const effectiveAt = this.#rules.byArrival ? this.#clock : timestamp;
    const live = this.#open.get(key);
    if (live === undefined && event.type === 'ENDED') return;
    const session = live ?? this.#begin(key, { offset, effectiveAt, keyBytes: roundedUp(record.key!.length) });
    const occurredAt = event.occurredAt ?? timestamp;
    const { eventId, sequence } = event;
    const isDuplicate =
      (eventId !== undefined && session.eventIds.includes(eventId)) ||
      (sequence !== undefined && session.sequences.has(sequence) && !restarts(session, event));
    session.lastSeenAt = Math.max(session.lastSeenAt, effectiveAt);
    session.lastOffset = offset;
    if (isDuplicate) session.duplicates += 1;
    else this.#count(session, event, occurredAt);
    if (event.type === 'ENDED')
      this.#close(key, session, { reason: 'ENDED', closedAt: this.#clock, endedAt: occurredAt });
  }

  #begin(key: string, { offset, effectiveAt: at, keyBytes }: Beginning): OpenSession {
    const session: OpenSession = {
      keyBytes,
      firstOffset: offset,
      openedAt: at,
      lastOffset: offset,
      lastSeenAt: at,
      timeoutMs: this.#rules.timeoutMs,
      timeoutChosen: false,
      startedAt: Infinity,
      lastEventAt: -Infinity,
      events: 0,
      duplicates: 0,
      outOfOrder: 0,
      truncated: false,
      eventIds: [],
      sequences: new Set(),
      missingBefore: 0,
      types: new Map(),
      attributes: new Map(),
    };
    this.#opened += 1;
    this.#open.set(key, session);
    return session;
  }

  #count(session: OpenSession, event: FoldedEvent, occurredAt: number): void {
    if (occurredAt < session.lastEventAt) session.outOfOrder += 1;
    session.startedAt = Math.min(session.startedAt, occurredAt);
    session.lastEventAt = Math.max(session.lastEventAt, occurredAt);
    session.events += 1;
    session.types.set(event.type, (session.types.get(event.type) ?? 0) + 1);
    if (event.eventId !== undefined)
      session.eventIds = [...session.eventIds, event.eventId].slice(-this.#rules.dedupeEventIds);
    if (restarts(session, event)) {
      session.missingBefore = missingOf(session);
      session.sequences.clear();
    }
    if (event.sequence !== undefined) session.sequences.add(event.sequence);
    for (const [name, value] of Object.entries(event.attributes ?? {}))
      this.#keep(session, name, { value, at: occurredAt });
    if (event.timeoutMs === undefined) return;
    const { minTimeoutMs, maxTimeoutMs } = this.#rules;
    session.timeoutMs = Math.min(Math.max(event.timeoutMs, minTimeoutMs), maxTimeoutMs);
    session.timeoutChosen = true;
  }

  /** Last write wins by event time, within the bounds (S10). */
  #keep(session: OpenSession, name: string, attribute: { readonly value: string; readonly at: number }): void {
    const held = session.attributes.get(name);
    if (held !== undefined && held.at > attribute.at) return;
    const others = [...session.attributes].filter(([each]) => each !== name);
    const length = others.reduce(
      (sum, [each, { value: of }]) => sum + each.length + of.length,
      name.length + attribute.value.length,
    );
    const { maxAttributes, maxAttributeBytes } = this.#rules;
    if (length > maxAttributeBytes || others.length >= maxAttributes) session.truncated = true;
    else session.attributes.set(name, attribute);
  }

  #advance(stamp: number): void {
    const { unheardMs, maxHoldMs } = this.#rules.heldTime ?? { unheardMs: Infinity, maxHoldMs: 0 };
    const from = this.#clock + unheardMs;
    // From 0 the clock comes with the first record.
    if (this.#clock > 0 && stamp > from) this.#gaps.push({ from, to: Math.min(stamp, from + maxHoldMs) });
    this.#clock = Math.max(this.#clock, stamp);
  }

  /** `ms` after `from`, gaps left out. */
  #after(from: number, ms: number): number {
    return this.#gaps.reduce((end, gap) => {
      const start = Math.max(gap.from, from);
      return start < end && gap.to > start ? end + gap.to - start : end;
    }, from + ms);
  }

  #heldWithin(start: number, end: number): number {
    return this.#gaps.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0);
  }

  #dueAt({ lastSeenAt, timeoutMs, openedAt }: OpenSession): { readonly at: number; readonly reason: string } {
    const silence = this.#after(lastSeenAt, timeoutMs);
    const limit = this.#after(openedAt, this.#rules.maxDurationMs ?? Infinity);
    return limit <= silence ? { at: limit, reason: 'MAX_DURATION' } : { at: silence, reason: 'TIMEOUT' };
  }

  #closeIfDue(key: string): void {
    const session = this.#open.get(key);
    if (session === undefined) return;
    const { at, reason } = this.#dueAt(session);
    if (at <= this.#clock) this.#close(key, session, { reason, closedAt: at, endedAt: session.lastEventAt });
  }

  #close(
    key: string,
    session: OpenSession,
    closing: { readonly reason: string; readonly closedAt: number; readonly endedAt: number },
  ): void {
    this.#open.delete(key);
    const heldMs = this.#heldWithin(session.lastSeenAt, closing.closedAt);
    this.#summaries.push({
      sessionId: key,
      incarnation: `${this.#rules.partition}-${session.firstOffset}`,
      revision: 0,
      ...closing,
      startedAt: session.startedAt,
      lastSeenAt: session.lastSeenAt,
      durationMs: Math.max(0, closing.endedAt - session.startedAt),
      deadlineAt: this.#dueAt(session).at,
      timeoutMs: session.timeoutMs,
      ...(heldMs > 0 && { heldMs }),
      eventCount: session.events,
      duplicateCount: session.duplicates,
      outOfOrderCount: session.outOfOrder,
      lateCount: 0,
      missingCount: missingOf(session),
      countsByType: Object.fromEntries(session.types),
      attributes: Object.fromEntries([...session.attributes].map(([name, { value }]) => [name, value])),
      truncated: session.truncated,
      partition: this.#rules.partition,
      firstOffset: session.firstOffset,
      lastOffset: session.lastOffset,
    });
  }
}

/** S5: a new run of the producer, marked, or fallen back beyond the window. */
function restarts({ sequences }: OpenSession, { type, sequence }: FoldedEvent): boolean {
  if (sequence === undefined || sequences.size === 0) return false;
  const behind = Math.max(...sequences) - sequence;
  return behind >= WINDOW || (type === 'STARTED' && behind > 0);
}

/** An empty key takes four bytes, too. */
function roundedUp(keyLength: number): number {
  return Math.max(4, Math.ceil(keyLength / 4) * 4);
}

/** S6: between the lowest and the highest sequence, and in the runs before. */
function missingOf({ sequences, missingBefore }: OpenSession): number {
  if (sequences.size === 0) return 0;
  const missing = Math.max(...sequences) - Math.min(...sequences) - sequences.size + 1;
  return Math.min(missingBefore + missing, Number.MAX_SAFE_INTEGER);
}

function eventOf(value: Uint8Array | null): FoldedEvent | undefined {
  if (value === null) return { type: 'ENDED' };
  if (value.length === 0) return { type: 'HEARTBEAT' };
  try {
    const event = JSON.parse(text.decode(value)) as FoldedEvent;
    return (event.occurredAt ?? 0) > LAST_INSTANT ? undefined : event;
  } catch {
    return undefined; // rubbish
  }
}
