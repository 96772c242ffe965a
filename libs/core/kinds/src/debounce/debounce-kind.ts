// Debouncing as a kind: what a record does to the window of its key, and when that fires (B1–B4).
//
//                 item                     waitMs over, maxWaitMs over, full, FLUSH ──▶ a batch ─┐
//   nothing ────────────▶ window ──┬── item: one more                                            ├──▶ nothing
//      ▲   (leading: a batch)      └── null ──▶ CANCELLED ──────────────────────────────────────┘
//
// Owns: nothing that outlives a call.
// Does not own: entries, timers, commits (the engine).
//
// Invariants
//   DW1  Each item is in the state of its key's window, or in a record that was emitted when it left it: never in both, never
//        in neither. Of a window that keeps one at most, the others are in its counts.
//   DW2  Without `split` the items of a window, encoded, fit one record, as long as the output keeps its format; with it each of
//        them does, and a part is in each commit.
import { copyBytes, type DurationMs, type Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import type { BatchReason, DebouncedBatchEncoder } from '@flatline/ports/formats';
import type { Effects, Kind, KindParts, PipelineKind, Refusal, GroupRecords } from '../contract.ts';
import type { ReducerWatch } from '../reducing/index.ts';
import { whyUnreadable } from '../reducing/kept-states.ts';
import { bad, NO_ROOM, OWING } from '../refusals.ts';
import { type BytesSpan, HeapBytes } from '../state-bytes.ts';
import { BatchVoice } from './batch-voice.ts';
import { LastReduced, NO_WINDOW, reduced } from './custom-reducer.ts';
import { COUNTED_BY_REASON, type DebounceCounters, zeroDebounceCounters } from './debounce-counters.ts';
import { debounceFormat } from './debounce-format.ts';
import { type DebounceRules, WAIT_MAX_MS, WINDOW_STATE_BYTES_MAX } from './debounce-rules.ts';
import type { DebounceWindow } from './debounce-window.ts';
import { type Asked, askedIn } from './item-headers.ts';
import { identifier, type Identify, IDENTITY_BYTES_MAX } from './item-identity.ts';
import { OwedWindows } from './owed-windows.ts';
import { withState } from './state-reducing.ts';
import { CANCELS, longIdentity } from './unfit-item.ts';
import { formNumber, formOf } from './window-form.ts';
import {
  appendItem,
  type Arriving,
  beginItems,
  ITEM_STATE_BYTES,
  itemGrowth,
  keptIdentity,
  keptValue,
  reduceItem,
} from './window-items.ts';

/** Bytes of state to ask for where it has been asked already, for two windows together. */
const ROOM_IS_THERE = -Infinity;

export interface DebounceOptions {
  readonly rules: DebounceRules;
  readonly encoder: DebouncedBatchEncoder;
  /** Named where a batch cannot be encoded. */
  readonly outputTopic: string;
  /** Watches the function of `custom`. */
  readonly watch?: ReducerWatch | undefined;
}

type DebounceParts = KindParts<DebounceWindow, DebounceCounters>;

export function debounceKind(options: DebounceOptions): PipelineKind<DebounceWindow, DebounceCounters> {
  return {
    format: debounceFormat,
    counters: zeroDebounceCounters,
    open: (parts) => new DebounceKind(options, parts),
    // Values are taken as they are, whatever their bytes.
    prepare: () => Promise.resolve(),
    whyUnreadable: (kept) => {
      const { reduced: reducer } = options.rules;
      const why = reducer && whyUnreadable(reducer, kept, statesOf);
      return why && `reducer: ${why}`;
    },
  };
}

function statesOf({ isOpen, form, state, openStart }: DebounceWindow): readonly BytesSpan[] {
  const kept = isOpen && formOf(form).reducer === 'custom' ? keptIdentity(state, openStart) : undefined;
  return kept === undefined ? [] : [kept];
}

class DebounceKind implements Kind {
  readonly #rules: DebounceRules;
  readonly #encoder: DebouncedBatchEncoder;
  readonly #counters: DebounceCounters;
  readonly #entry: DebounceWindow;
  readonly #voice: BatchVoice;
  readonly #identify: Identify | undefined;
  /** Windows open in it. */
  readonly #form: number;
  readonly #partition: number;
  readonly #watch: ReducerWatch | undefined;
  readonly #lastReduced = new LastReduced();
  readonly owing: OwedWindows;

  constructor({ rules, encoder, outputTopic, watch }: DebounceOptions, { entry, counters, partition }: DebounceParts) {
    this.#rules = rules;
    this.#encoder = encoder;
    this.#counters = counters;
    this.#entry = entry;
    this.#voice = new BatchVoice({ encoder, outputTopic, partition });
    this.owing = new OwedWindows(entry, this.#voice);
    this.#identify = rules.dedupeBy === undefined ? undefined : identifier(rules.dedupeBy);
    this.#partition = partition;
    this.#watch = watch;
    this.#form = formNumber(rules, encoder.weighing);
  }

  /** While it owes a window nothing else of the key is due (OW1): it is armed once that is said. */
  dueAt(): Millis {
    return this.owing.isOwing() ? this.#entry.waitsFrom + WAIT_MAX_MS : this.#firesAt();
  }

  #firesAt(): Millis {
    const { waitsFrom, waitMs, maxEndAt } = this.#entry;
    const due = waitsFrom + waitMs;
    return maxEndAt > 0 && maxEndAt < due ? maxEndAt : due;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    for (; records.index < records.end; records.index += 1) {
      const refusal = this.#takeRecord(records, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    const { waitsFrom, waitMs, maxEndAt } = this.#entry;
    const isMost = maxEndAt > 0 && maxEndAt <= waitsFrom + waitMs;
    const byWait = this.#rules.mode === 'window' ? 'WINDOW' : 'QUIET';
    this.#end(isMost ? 'MAX_WAIT' : byWait, at, effects);
  }

  #takeRecord(records: GroupRecords, effects: Effects): Refusal | undefined {
    // Before the record is looked at: what is due for its key takes effect, taken or not (S3).
    const isLive = effects.find(records.index);
    const isOwing = isLive && this.owing.isOwing();
    const isThere = isOwing ? this.#entry.isOpen : isLive;
    if (isThere && isOwing && (this.owing.hasNext || this.#firesAt() <= effects.clock)) return OWING;
    const headers = records.headers.headersOf(records.index);
    const asked = askedIn(headers);
    if ('kind' in asked) return asked;
    if (records.group.valueLengths[records.index]! < 0) {
      if (isThere && isOwing) return OWING;
      if (isThere) this.#end(asked.flush ? 'FLUSHED' : 'CANCELLED', effects.clock, effects);
      else this.#counters.unmatchedCommands += 1;
      return undefined;
    }
    if (asked.cancel) return bad('invalid-command', CANCELS);
    const room = this.#voice.roomFor(records.group.lengths[records.index]!);
    const item = this.#itemOf(records, headers);
    const refusal = this.#unfit(item, room);
    if (refusal !== undefined) return refusal;
    const goesOn = isThere && this.#fits(item, room);
    if (isOwing && this.#says(item, asked, isThere, goesOn)) return OWING;
    const taken = this.#rules.reducer === 'custom' ? this.#reduced(records, headers, item, { goesOn, room }) : item;
    if ('kind' in taken) return taken;
    const pushesOut = isThere && !goesOn;
    const opensBeside = pushesOut ? this.#isLong() : isOwing;
    const grownBy = this.#growth(taken, records.effectiveAt, goesOn, opensBeside);
    const freed = pushesOut && !opensBeside ? this.#entry.stateLength : 0;
    if (isLive && !effects.hasRoom(grownBy - freed)) return NO_ROOM;
    const lives = pushesOut ? this.#end('MAX_BYTES', effects.clock, effects) : isLive;
    if (!lives && !effects.open(records.index, isLive ? ROOM_IS_THERE : grownBy)) return NO_ROOM;
    this.#takeItem(taken, records.effectiveAt, asked, goesOn, effects);
    return undefined;
  }

  /** True if the record would bring about more than an item in a window. */
  #says({ length }: Arriving, { flush }: Asked, isThere: boolean, goesOn: boolean): boolean {
    const { mode, maxItems, maxBytes } = this.#rules;
    if (flush || goesOn !== isThere || (!isThere && mode === 'leading')) return true;
    const [count, bytes] = isThere ? [this.#entry.count, this.#entry.valueBytes] : [0, 0];
    return count + 1 >= maxItems || bytes + length >= maxBytes;
  }

  /** True if one record cannot hold the window's items. */
  #isLong(): boolean {
    const { count, batchBytes, form, keyLength } = this.#entry;
    const isWeighedOtherwise = formOf(form).weighing !== this.#encoder.weighing;
    return count > 0 && (isWeighedOtherwise || batchBytes > this.#voice.roomFor(keyLength));
  }

  /** By how many bytes the state grows with the item, in the window or in one that it opens, maybe beside one that is owed. */
  #growth(item: Arriving, from: Millis, goesOn: boolean, opensBeside: boolean): number {
    if (goesOn) {
      const { state, openStart, firstOffset, form } = this.#entry;
      return itemGrowth(state, openStart, firstOffset, item, formOf(form));
    }
    const opened = new HeapBytes();
    beginItems(opened, 0, from);
    const isKept = this.#rules.mode !== 'leading' || opensBeside;
    return opened.length + (isKept ? itemGrowth(opened, 0, item.offset, item, formOf(this.#form)) : 0);
  }

  /** Returns the item with the reducer's result for the window, or for the next one, in place of its value. */
  #reduced(
    { bytes, group, index, timestamp, effectiveAt }: GroupRecords,
    headers: readonly RecordHeader[],
    item: Arriving,
    { goesOn, room }: { readonly goesOn: boolean; readonly room: number },
  ): Arriving | Refusal {
    const { offset, start, length } = item;
    const { reduced: reducer } = this.#rules;
    if (reducer !== undefined) {
      const before = goesOn ? keptIdentity(this.#entry.state, this.#entry.openStart) : undefined;
      return this.#fitted(withState(reducer, before, item, { partition: this.#partition, effectiveAt }), room);
    }
    const json = this.#lastReduced.of(offset, goesOn ? this.#entry : NO_WINDOW, () => {
      const keyStart = group.starts[index]!;
      const key = copyBytes(bytes, keyStart, keyStart + group.lengths[index]!);
      const value = copyBytes(bytes, start, start + length);
      const copies = headers.map(({ name, value: of }) => ({ name, value: of && copyBytes(of, 0, of.length) }));
      const seen = { key, value, headers: copies, offset, timestamp };
      const before = goesOn ? keptValue(this.#entry.state, this.#entry.openStart) : undefined;
      this.#watch?.enter(this.#partition, offset);
      try {
        return reduced(this.#rules.reduce!, before, seen);
      } finally {
        this.#watch?.leave();
      }
    });
    if ('kind' in json) return json;
    return this.#fitted({ ...item, bytes: json, start: 0, length: json.length, takenBytes: length }, room);
  }

  /** Weighed with the value that the reducer has put there. */
  #fitted(item: Arriving | Refusal, room: number): Arriving | Refusal {
    if ('kind' in item) return item;
    const batchBytes = this.#encoder.itemBytes(item.bytes, item.start, item.length);
    if (batchBytes <= room) return { ...item, batchBytes };
    return bad('reduced-too-large', `the reducer came to ${batchBytes} bytes in a batch, which holds ${room}`);
  }

  #itemOf({ bytes, group, index, baseOffset, timestamp }: GroupRecords, headers: readonly RecordHeader[]): Arriving {
    const offset = baseOffset + group.offsetDeltas[index]!;
    const start = group.valueStarts[index]!;
    const length = group.valueLengths[index]!;
    const batchBytes = this.#encoder.itemBytes(bytes, start, length);
    const identity = this.#identify?.(headers, { bytes, start, length });
    return { offset, timestamp, bytes, start, length, batchBytes, identity, takenBytes: length };
  }

  /** Why no window can ever hold the item. */
  #unfit({ length, batchBytes, identity }: Arriving, room: number): Refusal | undefined {
    const { maxBytes, dedupeBy } = this.#rules;
    if (length > maxBytes || batchBytes > room) {
      const limits = `maxBytes is ${maxBytes}, and a batch holds ${room}`;
      return bad('item-too-large', `a value of ${length} bytes takes ${batchBytes} in a batch; ${limits}`);
    }
    if (identity === undefined || identity.length <= IDENTITY_BYTES_MAX) return undefined;
    return bad('dedupe-value-too-long', longIdentity(identity.length, dedupeBy));
  }

  #takeItem(item: Arriving, from: Millis, asked: Asked, goesOn: boolean, effects: Effects): void {
    this.#counters.itemsAccepted += 1;
    if (goesOn) this.#add(item, from, asked, effects);
    else this.#open(item, from, asked, effects);
    this.#fireIfFull(asked, effects);
  }

  #fits({ length, batchBytes, identity }: Arriving, room: number): boolean {
    const { maxBytes, onOversize, maxPartsBytes, reduce } = this.#rules;
    const { valueBytes, batchBytes: held, form, stateLength } = this.#entry;
    const { keepsAll, reducer, weighing } = formOf(form);
    if (valueBytes + length > maxBytes) return false;
    // After a change of the output's format nothing is added to what was weighed by the former.
    if (weighing !== this.#encoder.weighing) return false;
    // After a change of configuration nothing goes on with what a function has come to, nor a function with something else.
    if ((reducer === 'custom') !== (this.#rules.reducer === 'custom')) return false;
    if (reducer === 'custom' && this.#entry.count > 0 && (reduce === undefined) !== this.#hasState()) return false;
    if (!keepsAll) return true;
    const itemBytes = ITEM_STATE_BYTES + (identity?.length ?? 0) + length;
    if (stateLength + itemBytes > WINDOW_STATE_BYTES_MAX) return false;
    return held + batchBytes <= (onOversize === 'split' ? maxPartsBytes : room);
  }

  /** True if what the open window has come to is a state. */
  #hasState(): boolean {
    return keptIdentity(this.#entry.state, this.#entry.openStart) !== undefined;
  }

  #fireIfFull({ flush }: Asked, effects: Effects): void {
    const { maxItems, maxBytes } = this.#rules;
    // The item that leads counts for no limit, said or not.
    const [count, valueBytes] = this.#leadsNext() ? [0, 0] : [this.#entry.count, this.#entry.valueBytes];
    if (count >= maxItems) this.#end('MAX_ITEMS', effects.clock, effects);
    else if (valueBytes >= maxBytes) this.#end('MAX_BYTES', effects.clock, effects);
    else if (flush) this.#end('FLUSHED', effects.clock, effects);
  }

  #leadsNext(): boolean {
    return this.#rules.mode === 'leading' && this.owing.isOwing() && this.owing.hasNext;
  }

  #open(item: Arriving, from: Millis, asked: Asked, effects: Effects): void {
    const { mode } = this.#rules;
    const entry = this.#entry;
    const maxWaitMs = this.#maxWait(asked);
    // The window that is owed may have been opened by a later stamp.
    const before = this.owing.isOwing() ? this.dueAt() : -Infinity;
    entry.waitsFrom = from;
    entry.maxEndAt = maxWaitMs === 0 ? 0 : from + maxWaitMs;
    entry.waitMs = this.#wait(asked);
    entry.firstOffset = item.offset;
    entry.takes(0, this.#form);
    entry.holds(0, 0);
    const { openStart } = entry;
    beginItems(entry.state, openStart, from);
    this.#counters.windowsOpened += 1;
    const isBeside = openStart > 0;
    if (mode !== 'leading' || isBeside) this.#put(item);
    if (isBeside) {
      effects.resized();
      if (this.dueAt() < before) effects.dueSooner();
    } else effects.opened();
    if (mode === 'leading') this.#counters.windowsLeading += 1;
    if (mode === 'leading' && isBeside) this.owing.sayNext('LEADING');
    effects.changed();
    if (mode === 'leading' && !isBeside) this.#lead(item, from, effects);
  }

  /** The first item is a batch of its own; the window goes on for what follows (B1). */
  #lead({ offset, timestamp, bytes, start, length, takenBytes }: Arriving, openedAt: Millis, effects: Effects): void {
    const item = { offset, timestamp, value: bytes.subarray(start, start + length) };
    const window = { key: effects.key(), item, takenBytes, openedAt, firedAt: effects.clock };
    this.#voice.leading(window, formOf(this.#form), effects);
  }

  #add(item: Arriving, from: Millis, asked: Asked, effects: Effects): void {
    const entry = this.#entry;
    const before = this.dueAt();
    // The first push arms a window, later ones do not move it.
    if (this.#rules.mode !== 'window') {
      if (from > entry.waitsFrom) entry.waitsFrom = from;
      if (asked.waitMs !== undefined) entry.waitMs = this.#wait(asked);
    }
    this.#put(item);
    effects.resized();
    effects.changed();
    if (this.dueAt() < before) effects.dueSooner();
  }

  #put(item: Arriving): void {
    const entry = this.#entry;
    const { form, firstOffset, batchBytes, state, openStart } = entry;
    const { keepsAll, reducer } = formOf(form);
    entry.holds(entry.count + 1, entry.valueBytes + item.takenBytes);
    entry.takes(keepsAll ? batchBytes + item.batchBytes : Math.max(batchBytes, item.batchBytes), form);
    if (keepsAll) appendItem(state, firstOffset, item);
    else reduceItem(state, openStart, firstOffset, item, reducer);
  }

  /** Says what the window holds, if anything, and ends it. Whether the entry lives on, since it owes what one record cannot hold. */
  #end(reason: BatchReason, at: Millis, effects: Effects): boolean {
    const { state, firstOffset, count, valueBytes, batchBytes, form } = this.#entry;
    // Behind a window that is owed: the item that has pushed it out.
    if (this.owing.isOwing()) {
      if (!this.#leadsNext()) this.#counters[COUNTED_BY_REASON[reason]] += 1;
      this.owing.sayNext(reason);
      effects.changed();
      return true;
    }
    if (count > 0) {
      this.#counters[COUNTED_BY_REASON[reason]] += 1;
      // A cancelled window shows no items.
      if (reason !== 'CANCELLED' && this.#isLong()) {
        this.owing.begin(reason, at, effects);
        return true;
      }
      const sums = { count, valueBytes, batchBytes, form: formOf(form), state: state.copy() };
      this.#voice.fired({ key: effects.key(), reason, firstOffset, firedAt: at, ...sums }, effects);
    }
    effects.end(at);
    return false;
  }

  #wait({ waitMs }: Asked): DurationMs {
    return waitMs === undefined ? this.#rules.waitMs : this.#clamped(waitMs);
  }

  /** 0: none. */
  #maxWait({ maxWaitMs }: Asked): DurationMs {
    return maxWaitMs === undefined ? this.#rules.maxWaitMs : this.#clamped(maxWaitMs);
  }

  /** No record makes a window longer than windows may be. */
  #clamped(ms: DurationMs): DurationMs {
    const { maxWaitMs } = this.#rules;
    const most = maxWaitMs === 0 ? WAIT_MAX_MS : maxWaitMs;
    if (ms <= most) return ms;
    this.#counters.clampedWaits += 1;
    return most;
  }
}
