// The committed state on its way to the local store: the rows of entries that a commit has changed since the store's checkpoint.
//
// A flush walks the slots that are stale and copies each entry as it is, as long as that is what a commit says of it. An entry
// that has changed since waits for the next cut, which takes a copy of what it writes anyway. So nothing of a commit is kept
// for the store, however long the store takes, and an entry that changes with every commit is one row a flush.
//
// Owns: which slots are stale, rows taken by a cut.
// Does not own: the store, when to flush (the runtime), what is committed of an entry (Changelog says it).
//
// Invariants
//   CK1  A slot is in `#stale` or `#due` if the store may have a row that is older than the last commit that told of it, or
//        none. Nothing is told of a slot before its commit is in the log.
//   CK2  A row says what a commit said of its entry, and which: no earlier than the checkpoint under way.
//   CK3  The checkpoint comes once `#due` is empty, so each slot that was stale when the flush began has been written since.
//
// Checked
//   inspect    CK1, CK2
//              Against the rows of a store, where one is shown.
//   assertion  CK3
import { assert } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import { KEY_GROUP_MAX, type StoreChanges, type StoreCheckpoint } from '@flatline/ports';
import { type CommitHeader, type SettingsStretch, storedHeader } from '../changelog/block-format.ts';
import type { Changelog } from '../changelog/changelog.ts';
import { SlotSet } from '../entries/slot-set.ts';
import { checkpointFaults, type StoredImage } from './checkpoint-inspection.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { RowBuffer } from './row-buffer.ts';

/** A commit that is in the log: one's own after it was settled, or one read while restoring. */
export interface LoggedCommit {
  /** The last block's. */
  readonly header: CommitHeader;
  /** All settings that are known. Encoded once a flush, not with each commit: with 32 stretches they cost a hundred microseconds. */
  readonly stretches: readonly SettingsStretch[];
  /** Slots of entries that it says something of, of each block; and those whose entries have gone. */
  readonly slots: readonly Int32Array[];
  readonly removed: readonly number[];
  /** Changelog offset of each block. */
  readonly offsets: readonly number[];
  /** Bytes of all blocks. */
  readonly bytes: number;
}

export interface FlushSlice {
  readonly changes: StoreChanges;
  /** With the last slice. */
  readonly checkpoint: StoreCheckpoint | undefined;
  /** Nothing more can be written before the next commit is in the log. */
  readonly waits: boolean;
}

/** Slots looked at before others get a turn: a millisecond. */
const TURN_SLOTS = 16_384;
/** Where a row lies, beside its bytes. */
const ROW_PLACE_BYTES = 40;
/** A slice ends once its rows have this many bytes. */
const SLICE_BYTES_MAX = 512 * 1024;

const NO_CHANGES: StoreChanges = { puts: [], removals: [] };

export class Checkpoints {
  readonly #table: EntryTable;
  readonly #changelog: Changelog;
  readonly #view: EntryWindow;
  /** Rows that cuts have taken and that wait to be written, in bytes; a cut takes no more beyond. */
  readonly #takenBytesMax: () => number;
  /** Slots that the next flush writes, and those that the one under way still has to. */
  #stale = new SlotSet();
  #due = new SlotSet();
  /** Copies for the slice being written, and slots whose rows it removes. */
  readonly #copies: RowBuffer;
  #gone: number[] = [];
  /** Copies that the cut in flight has taken, each with the part of its commit; and entries that have gone with it. */
  #taken: RowBuffer;
  #takenGone: number[] = [];
  /** Slots whose base the cut in flight has said to be another; it may have taken a copy before. */
  #rebased: number[] = [];
  /** The same of commits in the log. */
  readonly #settled: { readonly rows: RowBuffer; readonly gone: Int32Array; readonly commit: LoggedCommit }[] = [];
  #settledBytes = 0;
  #last: LoggedCommit | undefined;
  #isOff = false;
  #isApplying = false;
  #ahead = -1;
  /** Block bytes of the commits that the store's checkpoint does not cover, nor the one under way. */
  #waitingBytes = 0;
  readonly #group = new Int32Array(KEY_GROUP_MAX);

  constructor(table: EntryTable, changelog: Changelog, takenBytesMax: () => number) {
    this.#takenBytesMax = takenBytesMax;
    this.#table = table;
    this.#changelog = changelog;
    this.#view = table.view();
    this.#copies = new RowBuffer(table);
    this.#taken = new RowBuffer(table);
  }

  /** Bytes of the changelog that a killed process would read again, less what a flush under way covers. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Rows that cuts have taken and that are not written yet (X6). */
  get takenBytes(): number {
    return this.#settledBytes + bytesOf(this.#taken);
  }

  /** There is no store any more: nothing is noted from now on. */
  discard(): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#stale.clear();
    this.#due.clear();
    this.#settled.length = 0;
    this.#settledBytes = 0;
    this.#taken.clear();
    this.#takenGone = [];
    this.#rebased = [];
    this.#waitingBytes = 0;
  }

  /** The entries are ahead of the commits: nothing is flushed before that one is in the log. */
  holdUntil(sequence: number): void {
    this.#ahead = sequence;
  }

  /** A commit that was read is being applied: until it is `committed`, what is in the table is between two commits. */
  beginApplying(): void {
    this.#isApplying = true;
  }

  /** Says that the store's row of a slot is not what it should be. */
  markStale(slot: number): void {
    if (!this.#isOff) this.#stale.add(slot);
  }

  /** True if the cut that is being made takes a row of the slot (`take`), or notes that its entry has gone (`takeGone`). */
  wants(slot: number): boolean {
    return this.#due.size > 0 && this.takenBytes < this.#takenBytesMax() && this.#due.has(slot);
  }

  /** Takes the row of an entry written into the cut: its base into that part, or, where that is −1, it stays where it is. */
  take(entry: EntryWindow, part: number): void {
    this.#taken.add(entry, part < 0 ? -1 - this.#changelog.ledger.offsetOf(entry.baseBlock) : part);
    this.#due.delete(entry.slot);
  }

  /** The base of the entry is another from this cut on: a copy that it has taken names the former. */
  rebased(slot: number): void {
    if (this.#hasTaken) this.#rebased.push(slot);
  }

  takeGone(slot: number): void {
    this.#takenGone.push(slot);
    this.#due.delete(slot);
  }

  /** The commit is in the log. */
  committed(commit: LoggedCommit): void {
    this.#isApplying = false;
    if (this.#isOff) return;
    this.#last = commit;
    this.#waitingBytes += commit.bytes;
    for (const slots of commit.slots) for (let i = 0; i < slots.length; i += 1) this.#stale.add(slots[i]!);
    for (const slot of commit.removed) this.#stale.add(slot);
    if (!this.#hasTaken) return;
    for (const slot of this.#taken.slots) this.#stale.delete(slot);
    for (const slot of this.#takenGone) this.#stale.delete(slot);
    // The rows are right but for that, and until they are written again the commit is read that says it.
    for (const slot of this.#rebased) this.#stale.add(slot);
    this.#settledBytes += bytesOf(this.#taken);
    this.#settled.push({ rows: this.#taken, gone: Int32Array.from(this.#takenGone).sort(), commit });
    this.#taken = new RowBuffer(this.#table);
    this.#takenGone = [];
    this.#rebased = [];
  }

  /**
   * Begins a flush up to the last commit, in slices of at most `limit` rows each; what another one has left is a part of it.
   * undefined: there is nothing that the store does not have.
   */
  flush(limit: number): Iterator<FlushSlice, undefined> | undefined {
    const target = this.#last;
    if (this.#isOff || target === undefined || this.#waitingBytes === 0) return undefined;
    if (target.header.sequence < this.#ahead) return undefined;
    this.#stale.addAll(this.#due);
    const due = this.#stale;
    this.#stale = this.#due;
    this.#stale.clear();
    this.#due = due;
    this.#waitingBytes = 0;
    return this.#slices(target, limit);
  }

  *#slices(target: LoggedCommit, limit: number): Generator<FlushSlice, undefined, undefined> {
    for (;;) {
      const before = this.#last;
      for (let slot = 0; slot >= 0;) {
        yield* this.#writeSettled(limit);
        while (this.#isApplying) yield { changes: NO_CHANGES, checkpoint: undefined, waits: true };
        if (this.#isOff) return undefined;
        slot = this.#copyFrom(slot, limit);
        yield { changes: this.#copied(), checkpoint: undefined, waits: false };
      }
      yield* this.#writeSettled(limit);
      if (this.#due.size === 0 && !this.#hasTaken) break;
      // Rows settled by a commit since the pass began may be written at once.
      if (this.#last !== before) continue;
      yield { changes: NO_CHANGES, checkpoint: undefined, waits: true };
    }
    if (this.#isOff) return undefined;
    this.#holdCheckpoint();
    yield { changes: NO_CHANGES, checkpoint: checkpointOf(target), waits: false };
    return undefined;
  }

  #holdCheckpoint(): void {
    const due = this.#due.size;
    assert(due === 0, 'CK3: a checkpoint comes once all that was stale is written', { due });
  }

  /** Writes the rows that cuts have taken. */
  *#writeSettled(limit: number): Generator<FlushSlice, void, undefined> {
    // Each stays until all of it is written: the next flush writes it again.
    for (let next = this.#settled[0]; next !== undefined; next = this.#settled[0]) {
      const { rows, gone, commit } = next;
      // A part of the commit, or, below 0, an offset.
      const offsetOf = (note: number): number => (note < 0 ? -1 - note : commit.offsets[note]!);
      for (let first = 0; first < rows.count;) {
        const puts = rows.places(first, { limit, bytesMax: SLICE_BYTES_MAX }, commit.header.sequence, offsetOf);
        first += puts.length;
        yield { changes: { puts, removals: [] }, checkpoint: undefined, waits: false };
        if (this.#isOff) return;
      }
      for (let first = 0; first < gone.length; first += limit) {
        const removals = Array.from(gone.subarray(first, first + limit));
        yield { changes: { puts: [], removals }, checkpoint: undefined, waits: false };
        if (this.#isOff) return;
      }
      this.#settled.shift();
      this.#settledBytes -= bytesOf(rows);
    }
  }

  /**
   * Lists violations of the invariants, in words. `stored`: the rows of the store by slot, if all that was handed out is written.
   * O(state), changes nothing. For checks.
   */
  inspect(stored?: ReadonlyMap<number, StoredImage>): string[] {
    const bytes = this.#settled.reduce((sum, { rows }) => sum + bytesOf(rows), 0);
    const miscounted = `CK2: rows of ${bytes} bytes wait to be written, ${this.#settledBytes} are counted`;
    const [table, changelog, view] = [this.#table, this.#changelog, this.#view];
    const waiting = [
      ...this.#settled.map(({ rows, gone }) => ({ rows, gone: [...gone] })),
      { rows: this.#taken, gone: this.#takenGone },
    ];
    const isStale = (slot: number): boolean => this.#stale.has(slot) || this.#due.has(slot);
    const faults = checkpointFaults({ table, changelog, view, waiting, isStale, isOff: this.#isOff }, stored);
    return bytes === this.#settledBytes ? faults : [miscounted, ...faults];
  }

  get #hasTaken(): boolean {
    return this.#taken.count > 0 || this.#takenGone.length > 0;
  }

  /**
   * Copies what is due from a slot on, up to `limit` rows, as far as it is what the last commit says. Returns the slot to go on
   * at, −1 where that was the last.
   */
  #copyFrom(first: number, limit: number): number {
    this.#copies.clear();
    this.#gone = [];
    let slot = this.#due.next(first);
    for (let looked = 0; slot >= 0 && looked < TURN_SLOTS;) {
      const left = Math.min(limit - this.#copies.count - this.#gone.length, KEY_GROUP_MAX);
      if (left <= 0 || this.#copies.bytes >= SLICE_BYTES_MAX) break;
      let count = 0;
      let bytes = this.#copies.bytes;
      for (
        ;
        slot >= 0 && count < left && looked < TURN_SLOTS && bytes < SLICE_BYTES_MAX;
        slot = this.#due.next(slot + 1)
      ) {
        looked += 1;
        if (!this.#changelog.standsAsCommitted(slot)) continue;
        this.#group[count] = slot;
        count += 1;
        bytes += this.#table.states.lengthOf(slot);
      }
      this.#copyGroup(count);
    }
    return slot;
  }

  #copyGroup(count: number): void {
    const group = this.#group;
    let live = 0;
    for (let i = 0; i < count; i += 1) {
      const slot = group[i]!;
      this.#due.delete(slot);
      this.#stale.delete(slot);
      if (!this.#table.isLive(slot)) this.#gone.push(slot);
      else {
        group[live] = slot;
        live += 1;
      }
    }
    this.#table.lookAtSlots(group, live);
    for (let i = 0; i < live; i += 1) {
      const entry = this.#view.at(group[i]!);
      this.#copies.add(entry, entry.baseBlock);
    }
  }

  #copied(): StoreChanges {
    const { ledger } = this.#changelog;
    const sequence = this.#last!.header.sequence;
    const puts = this.#copies.places(0, { limit: this.#copies.count, bytesMax: Infinity }, sequence, (ordinal) =>
      ledger.offsetOf(ordinal),
    );
    return { puts, removals: this.#gone };
  }
}

function bytesOf(rows: RowBuffer): number {
  return rows.bytes + ROW_PLACE_BYTES * rows.count;
}

function checkpointOf({ header, stretches, offsets }: LoggedCommit): StoreCheckpoint {
  return {
    logId: header.logId,
    changelogPosition: offsets.at(-1)! + 1,
    commitHeader: storedHeader(header, stretches),
    liveEntries: header.liveEntries,
    digest: header.digest,
  };
}
