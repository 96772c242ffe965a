// The invariants of the table of entries against all of its slots: for checks, not for the path of records.
import { HAS_ROW, LINE_I32_SHIFT, LIVE } from '@flatline/kinds';
import type { SlotSet } from './slot-set.ts';
import { HASH_START, type Heads, KEY_LENGTH_AND_FLAGS, KEY_REFERENCE } from './entry-layout.ts';
import type { EntryRows } from './entry-rows.ts';
import { type KeyArena, keyBytes, startOf } from './key-arena.ts';
import type { KeyIndex, KeySource } from './key-index.ts';
import type { StatePages } from './state-pages.ts';

/** All that a table is, between two of its calls. */
export interface TableState {
  readonly heads: Heads;
  readonly keys: KeyArena;
  readonly index: KeyIndex;
  readonly rows: EntryRows;
  readonly states: StatePages;
  readonly reshaped: SlotSet;
  readonly source: KeySource;
  readonly free: readonly number[];
  readonly freed: readonly number[];
  readonly vacant: readonly number[];
  readonly slotsEnd: number;
  readonly keyBytes: number;
}

interface LiveKey {
  readonly slot: number;
  readonly reference: number;
  readonly length: number;
  readonly flags: number;
}

/** Empty where all holds, of the parts, too. `leaving`: slots whose entries have gone since the last cut. */
export function tableFaults(state: TableState, leaving: readonly number[]): string[] {
  const { index, keys, rows, states, slotsEnd } = state;
  const live = liveKeys(state);
  const slots = new Set(live.map(({ slot }) => slot));
  const withRow = live.filter(({ flags }) => (flags & HAS_ROW) !== 0).map(({ slot }) => slot);
  return [
    ...keyFaults(state, live),
    ...slotFaults(state, slots, leaving),
    ...index.inspect(),
    ...keys.inspect(live.flatMap(({ reference, length }) => [reference, length])),
    ...rows.inspect(withRow),
    ...states.inspect(slotsEnd, (slot) => slots.has(slot)),
  ];
}

function liveKeys({ heads: { i32 }, slotsEnd }: TableState): LiveKey[] {
  const live: LiveKey[] = [];
  for (let slot = 0; slot < slotsEnd; slot += 1) {
    const base = slot << LINE_I32_SHIFT;
    const flags = i32[base + KEY_LENGTH_AND_FLAGS]!;
    if ((flags & LIVE) !== 0) live.push({ slot, reference: i32[base + KEY_REFERENCE]!, length: flags & 0xffff, flags });
  }
  return live;
}

function keyFaults({ index, keys, source, keyBytes: counted }: TableState, live: readonly LiveKey[]): string[] {
  const faults: string[] = [];
  for (const { slot, reference, length, flags } of live) {
    const hash = source.hashOf(slot);
    const found = index.find(hash, keys.view, startOf(reference), length);
    if (found !== slot) faults.push(`ET1: the key of slot ${slot} leads to ${found < 0 ? 'none' : `slot ${found}`}`);
    if ((flags & HASH_START) !== (hash & HASH_START))
      faults.push(`ET1: slot ${slot} has the beginning of another hash`);
  }
  if (index.size !== live.length) faults.push(`ET1: ${index.size} keys are in the index, ${live.length} slots live`);
  const bytes = live.reduce((sum, { length }) => sum + keyBytes(length), 0);
  if (bytes !== counted) faults.push(`ET1: keys have ${bytes} bytes, ${counted} are counted`);
  return faults;
}

/** A slot lives, or is one time in the lists from which slots are handed out; what has gone since the last cut waits. */
function slotFaults(state: TableState, live: ReadonlySet<number>, leaving: readonly number[]): string[] {
  const { free, freed, vacant, reshaped, slotsEnd } = state;
  const listed = [...free, ...freed, ...vacant];
  const faults = listed
    .filter((slot) => live.has(slot) || slot >= slotsEnd)
    .map((slot) => `ET2: slot ${slot} is free and lives`);
  if (new Set(listed).size !== listed.length) faults.push('ET2: a slot is free twice');
  const waiting = new Set(freed);
  for (const slot of leaving)
    if (!waiting.has(slot)) faults.push(`ET2: slot ${slot} may be used again before a commit says it is free`);
  for (const slot of reshaped.from(0))
    if (!live.has(slot)) faults.push(`ET2: slot ${slot} has no entry and is in the reshaped`);
  return faults;
}
