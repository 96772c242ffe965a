// One key's windows by the rules, as simply as they are written (B1–B3): what waits, and what was said.
//
// Shares no code with what it judges.
import type { DurationMs, Millis } from '@flatline/base';
import type { RawHeader } from '../../logs/raw-record.ts';

/** A pipeline's options, by the names of docs/CONFIGURATION.md, and what a record of the output holds. */
export interface DebounceFoldRules {
  readonly mode: string;
  readonly waitMs: DurationMs;
  readonly maxWaitMs: DurationMs;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly onOversize: string;
  /** What the items of all parts of a window may take. */
  readonly maxPartsBytes: number;
  readonly reducer: string;
  /** The function of `custom`: from what came of the items before, and an item, to what comes of them. It may throw. */
  readonly reduce?: ((before: unknown, item: FoldedItem & FoldedRecord) => unknown) | undefined;
  readonly dedupeBy: string | undefined;
  /** What the items of one batch may take, with this key. */
  readonly roomFor: (key: Uint8Array) => number;
  /** What an item takes of that. */
  readonly sizeOf: (value: Uint8Array) => number;
}

export interface FoldedItem {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly value: Uint8Array;
}

/** What else there is of an item's record. */
export interface FoldedRecord {
  readonly key: Uint8Array;
  readonly headers: readonly RawHeader[];
}

/** An item with what `dedupeBy` finds in it, as text; undefined: nothing. */
export interface FoldableItem extends FoldedItem {
  readonly alike: string | undefined;
  readonly record: FoldedRecord;
}

/** A record of the output. */
export interface FoldedBatch {
  readonly windowId: string;
  readonly reason: string;
  readonly openedAt: Millis;
  readonly firedAt: Millis;
  readonly part: number;
  readonly last: boolean;
  readonly count: number;
  readonly bytes: number;
  readonly duplicates: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly items: readonly FoldedItem[];
}

export interface ItemAsks {
  readonly flush: boolean;
  readonly waitMs: DurationMs | undefined;
  readonly maxWaitMs: DurationMs | undefined;
}

interface Open {
  readonly id: string;
  readonly at: Millis;
  readonly most: Millis;
  waitMs: DurationMs;
  lastAt: Millis;
  items: FoldableItem[];
  /** What a custom reducer has come to, as JSON. */
  come: string | undefined;
}

export class NaiveWindow {
  readonly said: FoldedBatch[] = [];
  readonly #rules: DebounceFoldRules;
  readonly #partition: number;
  readonly #room: number;
  #open: Open | undefined;

  constructor(rules: DebounceFoldRules, partition: number, key: Uint8Array) {
    this.#rules = rules;
    this.#partition = partition;
    this.#room = rules.roomFor(key);
  }

  /** What is due at the clock takes effect. */
  settle(clock: Millis): void {
    const open = this.#open;
    if (open === undefined) return;
    const isWindow = this.#rules.mode === 'window';
    const quiet = (isWindow ? open.at : open.lastAt) + open.waitMs;
    const due = Math.min(quiet, open.most);
    if (due <= clock) this.#fire(due === open.most ? 'MAX_WAIT' : isWindow ? 'WINDOW' : 'QUIET', due);
  }

  empty(flush: boolean, clock: Millis): void {
    this.#fire(flush ? 'FLUSHED' : 'CANCELLED', clock);
  }

  /** False: it is refused. */
  take(item: FoldableItem, asks: ItemAsks, { clock, effectiveAt }: { clock: Millis; effectiveAt: Millis }): boolean {
    const { maxBytes, maxItems, onOversize, maxPartsBytes, mode, sizeOf } = this.#rules;
    if (item.value.length > maxBytes || sizeOf(item.value) > this.#room) return false;
    const together = [...(this.#open?.items ?? []), item];
    const bytes = bytesOf(together);
    const size = this.#isReduced ? 0 : together.reduce((sum, { value }) => sum + sizeOf(value), 0);
    const isOver = bytes > maxBytes || size > (onOversize === 'flush' ? this.#room : maxPartsBytes);
    const come = this.#reduced(item, isOver ? undefined : this.#open?.come);
    if (come === 'refused') return false;
    if (isOver) this.#fire('MAX_BYTES', clock);
    const open = this.#open ?? this.#opened(item, asks, effectiveAt);
    if (open.items.length === 0 && mode === 'leading' && open.id === this.#idOf(item)) {
      this.#say('LEADING', { ...open, come }, [item], clock);
    } else {
      open.items.push(item);
      open.come = come;
      open.lastAt = Math.max(open.lastAt, effectiveAt);
      if (asks.waitMs !== undefined && mode !== 'window') open.waitMs = this.#bounded(asks.waitMs);
    }
    if (open.items.length >= maxItems) this.#fire('MAX_ITEMS', clock);
    else if (bytesOf(open.items) >= maxBytes) this.#fire('MAX_BYTES', clock);
    else if (asks.flush) this.#fire('FLUSHED', clock);
    return true;
  }

  #reduced(item: FoldableItem, before: string | undefined): string | undefined {
    const { reduce, sizeOf } = this.#rules;
    if (reduce === undefined) return undefined;
    try {
      const { offset, timestamp, value, record } = item;
      const known: unknown = before === undefined ? undefined : JSON.parse(before);
      const returned = reduce(known, { offset, timestamp, value, ...record });
      const come = returned instanceof Promise ? undefined : (JSON.stringify(returned) as string | undefined);
      return come === undefined || sizeOf(new TextEncoder().encode(come)) > this.#room ? 'refused' : come;
    } catch {
      return 'refused';
    }
  }

  /** One item is kept at most, however many were taken. */
  get #isReduced(): boolean {
    return this.#rules.reducer === 'custom' || (this.#rules.reducer !== 'all' && this.#rules.dedupeBy === undefined);
  }

  #opened(item: FoldedItem, asks: ItemAsks, at: Millis): Open {
    const longest = asks.maxWaitMs === undefined ? this.#rules.maxWaitMs : this.#bounded(asks.maxWaitMs);
    const waitMs = asks.waitMs === undefined ? this.#rules.waitMs : this.#bounded(asks.waitMs);
    const most = longest === 0 ? Infinity : at + longest;
    this.#open = { id: this.#idOf(item), at, most, waitMs, lastAt: at, items: [], come: undefined };
    return this.#open;
  }

  #idOf({ offset }: FoldedItem): string {
    return `${this.#partition}-${offset}`;
  }

  #bounded(ms: DurationMs): DurationMs {
    const { maxWaitMs } = this.#rules;
    return maxWaitMs === 0 ? Math.min(ms, 3_153_600_000_000) : Math.min(ms, maxWaitMs);
  }

  #fire(reason: string, at: Millis): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (open.items.length > 0) this.#say(reason, open, open.items, at);
  }

  #say(reason: string, { id, at, come }: Open, items: readonly FoldableItem[], firedAt: Millis): void {
    const parts: FoldedItem[][] = [[]];
    let used = 0;
    const isGone = reason === 'CANCELLED';
    const different = isGone ? items : items.filter((item) => !items.some((other) => isLater(item, other)));
    for (const { offset, timestamp, value: own } of isGone ? [] : reduced(different, this.#rules.reducer)) {
      const value = come === undefined ? own : new TextEncoder().encode(come);
      const size = this.#rules.sizeOf(value);
      if (used + size > this.#room) {
        parts.push([]);
        used = 0;
      }
      used += size;
      parts[parts.length - 1]!.push({ offset, timestamp, value });
    }
    const all = { count: items.length, bytes: bytesOf(items), duplicates: items.length - different.length };
    const offsets = { firstOffset: items[0]!.offset, lastOffset: items[items.length - 1]!.offset };
    for (const [part, each] of parts.entries()) {
      const last = part + 1 === parts.length;
      this.said.push({ windowId: id, reason, openedAt: at, firedAt, part, last, ...all, ...offsets, items: each });
    }
  }
}

function bytesOf(items: readonly FoldedItem[]): number {
  return items.reduce((sum, { value }) => sum + value.length, 0);
}

function isLater(item: FoldableItem, other: FoldableItem): boolean {
  return item.alike !== undefined && item.alike === other.alike && other.offset > item.offset;
}

function reduced<Item>(items: readonly Item[], reducer: string): readonly Item[] {
  if (reducer === 'first') return items.slice(0, 1);
  if (reducer === 'last' || reducer === 'custom') return items.slice(-1);
  return reducer === 'count' ? [] : items;
}
