// S8 for sessions from several inputs, naively: all records sorted, then one after the other.
import { idAt, inputAt, offsetAt } from '@flatline/kinds';
import type { TestRecord } from '../task.fixture.ts';

export interface NaiveInput {
  readonly touches: boolean;
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: number;
}

interface Kept {
  /** undefined: early data. */
  place: number | undefined;
  lastPlace: number;
  seenAt: number;
  startedAt: number;
  endedAt: number;
  count: number;
  readonly ids: Set<string>;
  readonly attributes: Map<string, { readonly value: string; readonly at: number }>;
}

interface Placed extends TestRecord {
  readonly input: number;
  readonly place: number;
}

const SPAN = 2 ** 45;

/** Every record of all logs, in the order of S8; `place` is its input's clock once it is read. */
export function sorted(logs: readonly (readonly TestRecord[])[]): Placed[] {
  const all = logs.flatMap((log, input) => {
    let clock = 0;
    return log.map((record) => ({ ...record, input, place: (clock = Math.max(clock, record.timestamp)) }));
  });
  return all.sort((a, b) => a.place - b.place || a.input - b.input || a.offset - b.offset);
}

export interface NaiveOutcome {
  /** `key incarnation reason count first..last started..ended closedAt attributes`, sorted. */
  readonly closed: string[];
  /** `input/offset` of each record that is refused. */
  readonly refused: string[];
}

/** All that comes of the records, as of the last of them. */
export function naively(records: readonly Placed[], inputs: readonly NaiveInput[], timeoutMs: number): NaiveOutcome {
  const fold = new NaiveFold(inputs, timeoutMs);
  for (const record of records) fold.take(record);
  fold.expire();
  return { closed: fold.closed.sort(), refused: fold.refused };
}

class NaiveFold {
  readonly closed: string[] = [];
  readonly refused: string[] = [];
  readonly #inputs: readonly NaiveInput[];
  readonly #timeoutMs: number;
  readonly #kept = new Map<string, Kept>();
  /** How long early data of a key is kept. */
  readonly #holds = new Map<string, number>();
  #clock = 0;

  constructor(inputs: readonly NaiveInput[], timeoutMs: number) {
    this.#inputs = inputs;
    this.#timeoutMs = timeoutMs;
  }

  expire(): void {
    for (const [key, kept] of [...this.#kept]) {
      const dueAt = kept.seenAt + (kept.place === undefined ? this.#holds.get(key)! : this.#timeoutMs);
      if (dueAt > this.#clock) continue;
      if (kept.place !== undefined) this.#close(key, kept, 'TIMEOUT', dueAt);
      this.#kept.delete(key);
    }
  }

  take(record: Placed): void {
    this.#clock = Math.max(this.#clock, record.place);
    this.expire();
    const { key, value, input, offset, timestamp, logAppendTime = true } = record;
    if (key === null) return;
    const { touches, unknownKey, holdMs } = this.#inputs[input]!;
    const at = logAppendTime ? this.#clock : timestamp;
    const before = this.#kept.get(key);
    if (value === null) {
      if (!touches || before?.place === undefined) return;
      this.#note(before, record, at);
      this.#close(key, before, 'ENDED', this.#clock);
      this.#kept.delete(key);
      return;
    }
    const hasSession = before?.place !== undefined;
    if (!hasSession && unknownKey === 'deadLetter') {
      this.refused.push(`${input}/${offset}`);
      return;
    }
    const isActivity = touches || (!hasSession && unknownKey === 'open');
    const kept = before ?? blank(at);
    this.#kept.set(key, kept);
    if (isActivity) this.#note(kept, record, at);
    else {
      if (kept.place === undefined) {
        kept.seenAt = Math.max(kept.seenAt, at);
        this.#holds.set(key, holdMs);
      }
      addData(kept, value, timestamp);
    }
    this.expire();
  }

  #note(kept: Kept, { input, offset, value, timestamp }: Placed, at: number): void {
    const place = input * SPAN + offset;
    if (kept.place === undefined) {
      kept.place = place;
      kept.lastPlace = place;
      kept.seenAt = at;
      kept.startedAt = timestamp;
      kept.endedAt = timestamp;
    }
    if (inputAt(kept.place) === input) kept.lastPlace = place;
    kept.seenAt = Math.max(kept.seenAt, at);
    if (!addData(kept, value ?? '', timestamp)) return;
    kept.startedAt = Math.min(kept.startedAt, timestamp);
    kept.endedAt = Math.max(kept.endedAt, timestamp);
    if (value === null) kept.endedAt = timestamp;
  }

  #close(key: string, kept: Kept, reason: string, closedAt: number): void {
    const { count, startedAt, endedAt, attributes, lastPlace, place } = kept;
    const texts = [...attributes].map(([name, { value }]) => `${name}=${value}`).sort();
    const offsets = `${offsetAt(place!)}..${offsetAt(lastPlace)}`;
    const times = `${startedAt}..${endedAt}`;
    this.closed.push([key, idAt(0, place!), reason, count, offsets, times, closedAt, ...texts].join(' '));
  }
}

function blank(at: number): Kept {
  return {
    place: undefined,
    lastPlace: 0,
    seenAt: at,
    startedAt: 0,
    endedAt: 0,
    count: 0,
    ids: new Set(),
    attributes: new Map(),
  };
}

/** `name=value` is an attribute, `#id` an id. False: it was seen before. */
function addData(kept: Kept, value: string, at: number): boolean {
  if (value.startsWith('#') && kept.ids.has(value)) return false;
  if (value.startsWith('#')) kept.ids.add(value);
  kept.count += 1;
  const [name, text] = value.split('=');
  if (text !== undefined && (kept.attributes.get(name!)?.at ?? -1) <= at)
    kept.attributes.set(name!, { value: text, at });
  return true;
}
