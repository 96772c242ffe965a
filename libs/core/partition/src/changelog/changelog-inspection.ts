// The invariants of the changelog against the entries that live: for checks, not for the path of records.
import { ByteWriter } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import type { EntryTable } from '../entries/entry-table.ts';
import type { SlotSet } from '../entries/slot-set.ts';
import type { BaseSizes } from './base-sizes.ts';
import type { CutBlock } from './block-builder.ts';
import type { BlockLedger } from './block-ledger.ts';
import { headDigest, keyDigest, pageDigest } from './digest.ts';
import type { LongBases } from './long-bases.ts';
import type { SettingsHistory } from './settings-history.ts';

/** All that a changelog is, between two of its calls. */
export interface ChangelogState {
  readonly table: EntryTable;
  readonly view: EntryWindow;
  readonly ledger: BlockLedger;
  readonly long: LongBases;
  readonly sizes: BaseSizes;
  readonly settings: SettingsHistory;
  readonly dirty: SlotSet;
  readonly whole: SlotSet;
  readonly leaving: SlotSet;
  readonly incomplete: SlotSet;
  readonly removals: number;
  readonly uncutRemovals: readonly number[];
  readonly changedBytes: number;
  readonly digest: number;
  /** Bytes that a change counts for but for its key, and a removal. */
  readonly weights: { readonly change: number; readonly removal: number };
  readonly isCutting: boolean;
  /** The entry of which some pages are written. */
  readonly within: { readonly slot: number; readonly isNew: boolean } | undefined;
  readonly inFlight: { readonly removed: readonly number[]; readonly blocks: readonly CutBlock[] } | undefined;
  /** Its entries are as the last commit has them, and timed: else restoring may have more to count. */
  readonly isRestored: boolean;
}

/** Empty where all holds, of the parts, too. */
export function changelogFaults(state: ChangelogState): string[] {
  const { table, ledger, long, settings, view } = state;
  const live = Array.from({ length: table.slotsEnd }, (_, slot) => slot).filter((slot) => table.isLive(slot));
  const bases = new Map<number, number>();
  for (const slot of live) {
    const { baseBlock } = view.at(slot);
    if (baseBlock >= 0) bases.set(baseBlock, (bases.get(baseBlock) ?? 0) + 1);
  }
  return [
    ...setFaults(state),
    ...flightFaults(state, live),
    ...sumFaults(state, live),
    ...live.flatMap((slot) => writtenFaults(state, slot)),
    ...ledger.inspect(bases),
    ...long.inspect(),
    ...settings.inspect(),
  ];
}

/** CL1, and what is due to removals (CL2). */
function setFaults(state: ChangelogState): string[] {
  const { table, dirty, whole, incomplete, leaving, removals, uncutRemovals, inFlight, isCutting, isRestored } = state;
  const faults: string[] = [];
  for (const [name, set] of Object.entries({ dirty, whole, leaving, incomplete }))
    if (set.from(0).length !== set.size)
      faults.push(`CL1: ${set.size} slots are counted in ${name}, ${set.from(0).length} are`);
  for (const slot of [...dirty.from(0), ...incomplete.from(0)])
    if (!table.isLive(slot)) faults.push(`CL1: slot ${slot} is to be written and has no entry`);
  for (const slot of whole.from(0))
    if (!isCutting && !dirty.has(slot)) faults.push(`CL1: slot ${slot} is counted with its state and has not changed`);
  if (isRestored && incomplete.size > 0) faults.push(`CL1: ${incomplete.size} entries have not all of their pages`);
  const removed = new Set(inFlight?.removed);
  if (!isCutting && uncutRemovals.length !== removals)
    faults.push(`CL2: ${removals} removals are owed, of ${uncutRemovals.length} slots`);
  for (const slot of removed)
    if (!leaving.has(slot)) faults.push(`CL2: slot ${slot} goes with the cut, and is not leaving`);
  return faults;
}

/** CL2: an entry is known to a commit, in a cut, or waits for the next one. */
function flightFaults(
  { view, dirty, inFlight, isCutting, within, isRestored }: ChangelogState,
  live: readonly number[],
): string[] {
  if (!isRestored) return [];
  const faults: string[] = [];
  const cut = new Set(inFlight?.blocks.flatMap(({ slots }) => [...slots]));
  for (const slot of live) {
    const entry = view.at(slot);
    if (!entry.isWritten && !dirty.has(slot) && within?.slot !== slot)
      faults.push(`CL2: slot ${slot} has an entry that neither a commit nor the next cut says`);
    if (entry.inFlight && !isCutting && !cut.has(slot)) faults.push(`CL2: slot ${slot} is in flight, and in no cut`);
  }
  return faults;
}

/** CL3, CL5 */
function sumFaults(state: ChangelogState, live: readonly number[]): string[] {
  const { table, view, sizes, dirty, removals, weights, changedBytes, isCutting, within, isRestored } = state;
  const faults: string[] = [];
  let digest = 0;
  let bytes = 0;
  for (const slot of live) {
    const entry = view.at(slot);
    const isWithin = within?.slot === slot;
    if (isRestored && (isWithin ? within.isNew : !entry.isWritten)) continue;
    digest = (digest + keyDigest(slot, entry.keyView, entry.keyStart, entry.keyLength)) | 0;
    if (isWithin) continue;
    digest = (digest + entry.writtenDigest) | 0;
    bytes += entry.baseBytes;
  }
  if (digest >>> 0 !== state.digest)
    faults.push(`CL3: the digest is ${state.digest}, that of the entries ${digest >>> 0}`);
  if (bytes !== sizes.bytes) faults.push(`CL3: bases have ${bytes} bytes, ${sizes.bytes} are counted`);
  const changed = dirty.from(0).reduce((sum, slot) => sum + weights.change + view.at(slot).keyLength, 0);
  const weight = changed + removals * weights.removal;
  if (!isCutting && !table.states.isUsed && weight !== changedBytes)
    faults.push(`CL5: changes weigh ${weight} bytes, ${changedBytes} are counted`);
  return faults;
}

/** CL3, PB2: what has not changed since it was written is what was written. */
function writtenFaults({ table, view, dirty, within, isRestored }: ChangelogState, slot: number): string[] {
  const faults: string[] = [];
  const entry = view.at(slot);
  const { states } = table;
  const { arena } = states;
  let digest = 0;
  let isClean = true;
  for (let page = 0; page < states.countOf(slot); page += 1) {
    const reference = states.pageAt(slot, page);
    digest = (digest + arena.digestOf(reference)) | 0;
    if (arena.isDirty(reference)) isClean = false;
    else if (
      pageDigest(slot, page, arena.view, arena.startOf(reference), arena.lengthOf(reference)) !==
      arena.digestOf(reference)
    )
      faults.push(`PB2: page ${page} of slot ${slot} has changed, and is not dirty`);
  }
  // While restoring what has been read is counted later, and a damaged row is found by its digest, at the end (R1).
  if (dirty.has(slot) || within?.slot === slot || !isRestored) return faults;
  const head = new ByteWriter(256);
  table.format.encode(entry, head);
  digest = (digest + headDigest(slot, head.view, 0, head.length)) | 0;
  if (!isClean || digest !== entry.writtenDigest)
    faults.push(`CL3: slot ${slot} has changed since it was written, and is not dirty`);
  return faults;
}
