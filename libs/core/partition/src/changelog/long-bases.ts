// Bases that are too long for one cut, swept forward in parts: the head, then the pages, in cut after cut, and at last the word
// that this is the base now.
//
// Owns: which entries wait for that, how far each has come that is under way.
// Does not own: how many bytes a cut has for it (SweepPlan), what else is written of an entry meanwhile (Changelog).
//
// Invariants
//   LB1  The base stays where it was until the commit with the last word is known: till then no floor passes it (K3, K4).
//   LB2  A reader that begins at the new head gets every page from its first byte on, in order. What changes of a page before
//        it has that tells it nothing, and is in the page when it comes.
//   LB3  An entry that goes, or is bound, is in none of the lists: its slot may be another's.
//
// Checked
//   inspect   LB1, LB3
//             LB1 as far as an entry with a base on its way still has one.
//   not       LB2: of what was written; long-bases.test.ts reads it back.
import type { EntryWindow } from '@flatline/kinds';
import type { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import type { BlockBuilder } from './block-builder.ts';

/** A base on its way. */
interface LongBase {
  readonly slot: number;
  /** The page that is written next. */
  page: number;
  /** The block with its head: first its number in a cut, until that is in the log; then −1, and it has ordinal and offset. */
  part: number;
  ordinal: number;
  offset: number;
}

export class LongBases {
  readonly #table: EntryTable;
  readonly #builder: BlockBuilder;
  readonly #view: EntryWindow;
  readonly #onSaid: (slot: number) => void;
  /** Bytes of each when it came to wait, by slot, and of all. */
  readonly #waiting = new Map<number, number>();
  #waitingBytes = 0;
  /** Its pages are being written. */
  #current: LongBase | undefined;
  /** All their pages are written, and the last word is not; or it is, in a cut that is not in the log yet. */
  #unsaid: LongBase[] = [];
  #said: LongBase[] = [];

  /** `onSaid`: the cut that is being made says that the slot's base is another from now on. */
  constructor(table: EntryTable, builder: BlockBuilder, onSaid: (slot: number) => void) {
    this.#table = table;
    this.#builder = builder;
    this.#view = table.view();
    this.#onSaid = onSaid;
  }

  /** Bytes that are still to be written, about; 0: nothing waits, and nothing is under way. */
  get bytes(): number {
    const current = this.#current;
    const left = current === undefined ? 0 : this.#table.states.lengthOf(current.slot) - current.page * PAGE_BYTES_MAX;
    return this.#waitingBytes + Math.max(Number(current !== undefined), left) + this.#unsaid.length + this.#said.length;
  }

  /** True if there is anything to write before the next commit is in the log. */
  get mayGoOn(): boolean {
    return this.#waiting.size > 0 || this.#current !== undefined || this.#unsaid.some(({ part }) => part < 0);
  }

  /** True if its base is on its way, or waits for that. */
  has(slot: number): boolean {
    return this.#waiting.has(slot) || this.#isUnderWay(slot);
  }

  #isUnderWay(slot: number): boolean {
    const isIt = (each: LongBase): boolean => each.slot === slot;
    return this.#current?.slot === slot || this.#unsaid.some(isIt) || this.#said.some(isIt);
  }

  add(slot: number): void {
    if (this.has(slot)) return;
    const bytes = this.#table.states.lengthOf(slot);
    this.#waiting.set(slot, bytes);
    this.#waitingBytes += bytes;
  }

  /** The entry goes, or is bound: what was written of its base is none. */
  forget(slot: number): void {
    this.#takeWaiting(slot);
    if (!this.#isUnderWay(slot)) return;
    if (this.#current?.slot === slot) this.#current = undefined;
    this.#unsaid = this.#unsaid.filter((each) => each.slot !== slot);
    this.#said = this.#said.filter((each) => each.slot !== slot);
  }

  #takeWaiting(slot: number): void {
    this.#waitingBytes -= this.#waiting.get(slot) ?? 0;
    this.#waiting.delete(slot);
  }

  /** Lists violations of the invariants, in words. O(bases under way), changes nothing. For checks. */
  inspect(): string[] {
    const underWay = [...this.#unsaid, ...this.#said, ...(this.#current === undefined ? [] : [this.#current])];
    const slots = [...this.#waiting.keys(), ...underWay.map(({ slot }) => slot)];
    const faults = slots
      .filter((slot) => !this.#table.isLive(slot) || this.#view.at(slot).baseBlock < 0)
      .map((slot) => `LB1: the base of slot ${slot} is on its way, and it has none`);
    if (new Set(slots).size !== slots.length) faults.push('LB3: a base is on its way twice');
    const bytes = [...this.#waiting.values()].reduce((sum, each) => sum + each, 0);
    if (bytes !== this.#waitingBytes) faults.push(`LB3: ${bytes} bytes wait, ${this.#waitingBytes} are counted`);
    return faults;
  }

  /** Writes a last word, a page or a head. False: there is none that need not wait for a commit. */
  goOn(): boolean {
    const at = this.#unsaid.findIndex(({ part }) => part < 0);
    if (at >= 0) this.#say(this.#unsaid.splice(at, 1)[0]!);
    else if (this.#current !== undefined) this.#addPage(this.#current);
    else return this.#begin();
    return true;
  }

  #begin(): boolean {
    const [slot] = this.#waiting.keys();
    if (slot === undefined) return false;
    this.#takeWaiting(slot);
    this.#builder.addRebind(this.#view.at(slot));
    this.#current = { slot, page: 0, part: this.#builder.part, ordinal: -1, offset: -1 };
    return true;
  }

  /** The state may have become shorter meanwhile, which another rebind has said. */
  #addPage(current: LongBase): void {
    const { slot, page } = current;
    const count = this.#table.states.countOf(slot);
    if (page < count) this.#builder.addWholePage(slot, page);
    current.page += 1;
    if (current.page < count) return;
    this.#current = undefined;
    this.#unsaid.push(current);
  }

  #say(base: LongBase): void {
    this.#builder.addBased(base.slot, base.offset);
    this.#onSaid(base.slot);
    this.#said.push(base);
  }

  /** The cut that was made last is in the log: its first block has that ordinal, and all of them these offsets. Returns what are bases now. */
  settle(first: number, offsets: readonly number[]): readonly Pick<LongBase, 'slot' | 'ordinal'>[] {
    for (const base of [...this.#unsaid, ...(this.#current === undefined ? [] : [this.#current])]) {
      if (base.part < 0) continue;
      base.ordinal = first + base.part;
      base.offset = offsets[base.part]!;
      base.part = -1;
    }
    const said = this.#said;
    this.#said = [];
    return said;
  }
}
