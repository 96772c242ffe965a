// One key's windows by the rules, written as simply as they are (B1–B3): the items that wait, and the batches that came out.
//
// Shares no code with what it judges.
import { type DurationMs, type Millis, unawaited } from '@flatline/base';
import type { InputRecord, RawHeader } from '../../logs/history.ts';
import type { Machine, When } from '../entry-rules.ts';
import { jsonObject } from '../../logs/json-event.ts';
import { varintBytes } from '../../logs/varint-bytes.ts';
import {
  bare,
  finishedOf,
  type ReducedState,
  reducedWith,
  Refused,
  type Seen,
  UNDECIDED,
} from '../reducing/naive-reducer.ts';
import { Telling } from '../telling.ts';
import { alikeBy, asksIn, type ItemAsks } from './item-asks.ts';

/** A pipeline's options, named as in docs/CONFIGURATION.md, and the capacity of an output record. */
export interface DebounceFoldRules {
  readonly mode: string;
  readonly waitMs: DurationMs;
  readonly maxWaitMs: DurationMs;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly onOversize: string;
  /** Maximum bytes of the items of all parts of a window. */
  readonly maxPartsBytes: number;
  readonly reducer: string;
  /** Format of the output, by which items are weighed. Default: always the same. */
  readonly format?: string;
  /** The function of `custom`: from the result of the items before, and an item, to the next result. It may throw. */
  readonly reduce?: ((before: unknown, item: FoldedItem & FoldedRecord) => unknown) | undefined;
  /** S10: a reducer with a state, in place of the function. */
  readonly reduced?: object | undefined;
  readonly dedupeBy: string | undefined;
  /** Bytes available to the items of one batch with this key. */
  readonly roomFor: (key: Uint8Array) => number;
  /** Bytes that an item takes of that. */
  readonly sizeOf: (value: Uint8Array) => number;
}

export interface FoldedItem {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly value: Uint8Array;
}

/** The rest of an item's record. */
export interface FoldedRecord {
  readonly key: Uint8Array;
  readonly headers: readonly RawHeader[];
}

/** An item with its `dedupeBy` identity, as text; undefined: none. */
export interface FoldableItem extends FoldedItem {
  readonly alike: string | undefined;
  readonly record: FoldedRecord;
  /** In place of `alike` the state of a reducer, whose result is the value (S10). */
  readonly state?: ReducedState | undefined;
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

/** How a window keeps and shows its items: by the rules in force when it opened. */
export interface WindowForm {
  readonly reducer: string;
  /** True if it keeps at most one item, however many it takes. */
  readonly keepsOne: boolean;
  /** Format by which its items were weighed. */
  readonly format: string;
}

/** A window that has not fired. */
export interface WindowState {
  readonly form: WindowForm;
  /** Offset of the item that opened it, */
  readonly offset: number;
  /** and when that came. */
  readonly at: Millis;
  /** It ends by then at the latest; Infinity: no limit. */
  readonly most: Millis;
  readonly waitMs: DurationMs;
  /** Start of its silence: the last item, or in mode `window` the first. */
  readonly lastAt: Millis;
  /** The first `kept` of these are kept; an array that only grows. */
  readonly items: FoldableItem[];
  readonly kept: number;
  /** Number of items taken, bytes of their values, offsets of the first and the last. */
  readonly count: number;
  readonly bytes: number;
  readonly firstTaken: number;
  readonly lastTaken: number;
  /** Bytes of the kept items in a batch; where at most one is kept, of the largest that was taken. */
  readonly size: number;
  /** Bytes of its pages, if it keeps all items. */
  readonly stateBytes: number;
}

/** docs/SPEC.md, B3: maximum bytes of a window's pages, and bytes counted per item beside its identity and its value. */
const STATE_BYTES_MAX = 60 * 1024 * 1024;
const ITEM_ON_TOP = 32;

/** Bytes of an item in the pages (docs/FORMATS.md, Changelog). */
function pageBytesOf(item: FoldableItem, firstOffset: number, batchBytes: number): number {
  const { offset, timestamp, value } = item;
  const identity = identityBytes(item);
  const lengths = [offset - firstOffset, timestamp, 2 * (batchBytes - value.length) + 1, value.length];
  const numbers = [...lengths, ...(identity === 0 ? [] : [identity])].reduce((sum, each) => sum + varintBytes(each), 0);
  return numbers + identity + value.length;
}

function identityBytes({ alike, state }: FoldableItem): number {
  if (state !== undefined) return state.length / 2;
  return alike === undefined ? 0 : alike.split(' ').length;
}

function formOf({ reducer, dedupeBy, format = 'json' }: DebounceFoldRules): WindowForm {
  return { reducer, keepsOne: reducer === 'custom' || (reducer !== 'all' && dedupeBy === undefined), format };
}

const utf8 = new TextEncoder();

export class NaiveWindow extends Telling<FoldedBatch> implements Machine<WindowState, FoldedBatch> {
  readonly #rules: DebounceFoldRules;
  readonly #partition: number;
  readonly #key: Uint8Array;
  state: WindowState | undefined;

  constructor(rules: DebounceFoldRules, partition: number, key: Uint8Array) {
    super();
    this.#rules = rules;
    this.#partition = partition;
    this.#key = key;
  }

  get #room(): number {
    return this.#rules.roomFor(this.#key);
  }

  dueAt(): Millis {
    return this.state === undefined ? Infinity : Math.min(this.state.lastAt + this.state.waitMs, this.state.most);
  }

  due(): void {
    const at = this.dueAt();
    const byWait = this.#rules.mode === 'window' ? 'WINDOW' : 'QUIET';
    this.#fire(at === this.state?.most ? 'MAX_WAIT' : byWait, at);
  }

  take({ offset, timestamp, value, headers = [] }: InputRecord, when: When): boolean {
    const asks = asksIn(headers);
    if (asks === 'bad') return false;
    if (value === null) {
      this.#fire(asks.flush ? 'FLUSHED' : 'CANCELLED', when.clock);
      return true;
    }
    if (asks.cancel) return false;
    const { dedupeBy } = this.#rules;
    const alike = dedupeBy === undefined ? undefined : alikeBy(dedupeBy, headers, value);
    if (alike === 'long') return false;
    return this.#take({ offset, timestamp, value, alike, record: { key: this.#key, headers } }, asks, when);
  }

  /** False: refused. */
  #take(item: FoldableItem, asks: ItemAsks, { clock, effectiveAt }: When): boolean {
    const { maxBytes, maxItems, onOversize, maxPartsBytes, mode, sizeOf } = this.#rules;
    const itemSize = sizeOf(item.value);
    if (item.value.length > maxBytes || itemSize > this.#room) return false;
    const bytes = (this.state?.bytes ?? 0) + item.value.length;
    const form = formOf(this.#rules);
    const { keepsOne, format, reducer } = this.state?.form ?? form;
    const size = keepsOne ? 0 : (this.state?.size ?? 0) + itemSize;
    const isOver =
      bytes > maxBytes ||
      (!keepsOne &&
        (this.state?.stateBytes ?? 0) + ITEM_ON_TOP + identityBytes(item) + item.value.length > STATE_BYTES_MAX) ||
      size > (onOversize === 'flush' ? this.#room : maxPartsBytes) ||
      // After a change of the output's format, or to or from a function, nothing is added to the items there.
      format !== form.format ||
      (reducer === 'custom') !== (form.reducer === 'custom') ||
      (this.state !== undefined && reducer === 'custom' && this.#isOtherwiseReduced(this.state));
    const kept = this.#reduced(item, isOver ? undefined : this.state?.items[0], effectiveAt);
    if (kept === 'refused') return false;
    if (isOver) this.#fire('MAX_BYTES', clock);
    const open = this.state ?? this.#opening(item, asks, effectiveAt);
    if (open.offset === item.offset && mode === 'leading') {
      this.state = open;
      const shown = form.reducer === 'count' ? [] : [kept];
      this.#say('LEADING', { ...open, ...takenWith(open, item) }, { shown, duplicates: 0 }, clock);
    } else {
      const waitMs = asks.waitMs !== undefined && mode !== 'window' ? this.#bounded(asks.waitMs) : open.waitMs;
      // In that mode the first push arms the window, and later ones do not move it.
      const lastAt = mode === 'window' ? open.lastAt : Math.max(open.lastAt, effectiveAt);
      this.state = { ...open, ...takenWith(open, item), ...this.#keeping(open, kept), lastAt, waitMs };
    }
    if (this.state.count >= maxItems) this.#fire('MAX_ITEMS', clock);
    else if (this.state.bytes >= maxBytes) this.#fire('MAX_BYTES', clock);
    else if (asks.flush) this.#fire('FLUSHED', clock);
    return true;
  }

  /** Returns the item; for a custom reducer, with the result as its value. */
  #reduced(
    item: FoldableItem,
    { value: before, state }: Partial<FoldableItem> = {},
    at: Millis,
  ): FoldableItem | 'refused' {
    const { reduce, reduced: byState, sizeOf } = this.#rules;
    if (byState !== undefined) return this.#reducedByState(byState, item, state, at);
    if (reduce === undefined) return item;
    try {
      const { offset, timestamp, value, record } = item;
      const known: unknown = before === undefined ? undefined : JSON.parse(new TextDecoder().decode(before));
      const returned = unawaited(reduce(known, { offset, timestamp, value, ...record }));
      const come = returned instanceof Promise ? undefined : (JSON.stringify(returned) as string | undefined);
      if (come === undefined || sizeOf(utf8.encode(come)) > this.#room) return 'refused';
      return { ...item, value: utf8.encode(come) };
    } catch {
      return 'refused'; // that is the answer
    }
  }

  /** S10 */
  #reducedByState(
    rules: object,
    item: FoldableItem,
    before: ReducedState | undefined,
    effectiveAt: Millis,
  ): FoldableItem | 'refused' {
    const { offset, timestamp, value } = item;
    const parsed = jsonObject(value);
    const fields = bare(Array.isArray(parsed) ? {} : (parsed ?? {}));
    const seen = { type: 'ITEM', attributes: bare({}) as Seen['attributes'], fields, occurredAt: timestamp };
    try {
      const state = reducedWith(rules, before, { ...seen, effectiveAt, offset });
      if (state === UNDECIDED) return { ...item, value: new Uint8Array(0), state };
      const result = utf8.encode(JSON.stringify(finishedOf(rules, state)));
      return this.#rules.sizeOf(result) > this.#room ? 'refused' : { ...item, value: result, state };
    } catch (error) {
      if (error instanceof Refused) return 'refused';
      throw error;
    }
  }

  /** True if what the window has come to is a state, and now a function reduces, or the other way round. */
  #isOtherwiseReduced({ items }: WindowState): boolean {
    const [item] = items;
    return item !== undefined && (item.state === undefined) !== (this.#rules.reduced === undefined);
  }

  #keeping(open: WindowState, item: FoldableItem): Partial<WindowState> & Pick<WindowState, 'items'> {
    const { reducer, keepsOne } = open.form;
    const itemSize = this.#rules.sizeOf(item.value);
    if (!keepsOne) {
      open.items.push(item);
      const stateBytes = open.stateBytes + pageBytesOf(item, open.offset, itemSize);
      return { items: open.items, kept: open.kept + 1, size: open.size + itemSize, stateBytes };
    }
    const size = Math.max(open.size, itemSize);
    if (reducer === 'count') return { items: [], kept: 0, size };
    const items = reducer === 'first' && open.kept > 0 ? open.items : [item];
    return { items, kept: 1, size };
  }

  #opening({ offset }: FoldedItem, asks: ItemAsks, at: Millis): WindowState {
    const longest = asks.maxWaitMs === undefined ? this.#rules.maxWaitMs : this.#bounded(asks.maxWaitMs);
    const waitMs = asks.waitMs === undefined ? this.#rules.waitMs : this.#bounded(asks.waitMs);
    const most = longest === 0 ? Infinity : at + longest;
    this.began();
    const nothing = {
      items: [],
      kept: 0,
      count: 0,
      bytes: 0,
      firstTaken: -1,
      lastTaken: -1,
      size: 0,
      stateBytes: varintBytes(at),
    };
    return { form: formOf(this.#rules), offset, at, most, waitMs, lastAt: at, ...nothing };
  }

  #bounded(ms: DurationMs): DurationMs {
    const { maxWaitMs } = this.#rules;
    return maxWaitMs === 0 ? Math.min(ms, 3_153_600_000_000) : Math.min(ms, maxWaitMs);
  }

  #fire(reason: string, at: Millis): void {
    const open = this.state;
    if (open === undefined) return;
    this.state = undefined;
    if (open.count > 0) this.#say(reason, open, shownOf(reason, open), at);
  }

  #say(reason: string, state: WindowState, { shown, duplicates }: Shown, firedAt: Millis): void {
    const { offset, at, count, bytes, firstTaken, lastTaken } = state;
    const parts: FoldedItem[][] = [[]];
    let used = 0;
    for (const { offset: lies, timestamp, value } of shown) {
      const size = this.#rules.sizeOf(value);
      if (used + size > this.#room) {
        parts.push([]);
        used = 0;
      }
      used += size;
      parts[parts.length - 1]!.push({ offset: lies, timestamp, value });
    }
    const window = { windowId: `${this.#partition}-${offset}`, reason, openedAt: at, firedAt };
    const all = { count, bytes, duplicates, firstOffset: firstTaken, lastOffset: lastTaken };
    for (const [part, items] of parts.entries())
      this.tell({ ...window, part, last: part + 1 === parts.length, ...all, items });
  }
}

interface Shown {
  readonly shown: readonly FoldableItem[];
  readonly duplicates: number;
}

function shownOf(reason: string, open: WindowState): Shown {
  const items = itemsOf(open);
  const { reducer, keepsOne } = open.form;
  if (reason === 'CANCELLED') return { shown: [], duplicates: 0 };
  if (keepsOne) return { shown: items, duplicates: 0 };
  const lastAlike = new Map(items.map(({ alike, offset }) => [alike, offset]));
  const different = items.filter(({ alike, offset }) => alike === undefined || lastAlike.get(alike) === offset);
  return { shown: reduced(different, reducer), duplicates: items.length - different.length };
}

export function itemsOf({ items, kept }: WindowState): readonly FoldableItem[] {
  return items.slice(0, kept);
}

function takenWith(
  { count, bytes, firstTaken }: WindowState,
  { offset, value }: FoldedItem,
): Pick<WindowState, 'count' | 'bytes' | 'firstTaken' | 'lastTaken'> {
  return {
    count: count + 1,
    bytes: bytes + value.length,
    firstTaken: count === 0 ? offset : firstTaken,
    lastTaken: offset,
  };
}

function reduced<Item>(items: readonly Item[], reducer: string): readonly Item[] {
  if (reducer === 'first') return items.slice(0, 1);
  if (reducer === 'last') return items.slice(-1);
  return reducer === 'count' ? [] : items;
}
