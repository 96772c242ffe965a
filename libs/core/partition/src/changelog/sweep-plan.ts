// Which old bases are swept forward, and when (K8): the log is kept within its factor of what lives.
//
// A round rewrites the bases in the oldest part of the log, which then goes. It begins when the log with what that writes would
// be nearly as long as allowed: the longer a base stays, the more touches are written for each time it is rewritten. Where only
// bases lie there, rewriting them gains nothing; what traffic writes while all are rewritten has to fit, too.
//
// Owns: the round and how far it has come.
// Does not own: writing bases (Changelog), which block has which (BlockLedger).
import type { EntryWindow } from '@flatline/kinds';
import type { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import type { BaseSizes } from './base-sizes.ts';
import type { BlockLedger } from './block-ledger.ts';

export interface SweepLimits {
  /** Log bytes from floor to end are kept below this many times the live bytes (K8). */
  readonly changelogFactor: number;
  /** A log shorter than this is not worth sweeping, whatever the factor says. */
  readonly unsweptLogBytes: number;
}

interface SweepParts {
  readonly table: EntryTable;
  readonly ledger: BlockLedger;
  readonly sizes: BaseSizes;
  /** Bytes left of bases that are swept in parts. */
  readonly longBytes: () => number;
}

/** Sweeping writes at most this many times the bytes that changes are counted for, per cut. */
export const SWEEP_RATIO = 2;
const SWEEP_BYTES_MIN = 16 * 1024;
/** To look at a slot takes as long as to write so many bytes: that is what it counts in a slice. */
export const SWEPT_SLOT_BYTES = 4;
/** Share of the allowed log that it may reach before a round begins, with what that writes. */
const SWEEP_FROM = 15 / 16;
/** Share of the log that a round leaves alone, the newest. */
const SWEEP_LEAVES = 7 / 8;
/** Bytes that so many commits take beside changes (S12, Q4); a round frees as many at least, since it takes some itself. */
const COMMITS_FREED = 6;
/** A round is thought about again each time the log has grown by so great a part of what is allowed. */
const PLANS = 64;

export class SweepPlan {
  readonly #limits: SweepLimits;
  readonly #parts: SweepParts;
  readonly #view: EntryWindow;
  /** How many bytes the last cut might have swept for each that it had written before. */
  #pace = 1;
  /** Bytes of the log when it was last thought about a round, with what would come on top. */
  #plannedAt = 0;
  /** Bytes of the last commit. */
  #commitBytes = 0;
  /** Ordinal of the block below which bases are old; 0 between rounds. */
  before = 0;
  /** The same of a round that begins once what has changed by now is cut; 0: none does. */
  #next = 0;
  /** Ordinal of the block below which no base may stay (E1); 0: none. */
  #demanded = 0;
  /** The slot that is looked at next. */
  #hand = 0;
  /** Bytes of the bases that the round still has to rewrite, if they are the longest. */
  #bytes = 0;
  /** Scratch. */
  readonly #gathered = { count: 0, looked: 0 };

  constructor(limits: SweepLimits, parts: SweepParts) {
    this.#limits = limits;
    this.#parts = parts;
    this.#view = parts.table.view();
  }

  /** Bytes that the round still has to rewrite: no sweep writes more. */
  get bytes(): number {
    return Math.max(this.#bytes, this.#parts.longBytes());
  }

  /**
   * Decides whether the next cut sweeps, and how much it may find; the next commit is taken for as large as the last one, of which
   * `besideBytes` are no changes. Decided before its changes come, so that stepping knows what they will weigh.
   *
   * Changes made while this commit was in flight are weighed as touches. Where these are much smaller than binds, since entries
   * have states, the round begins behind the cut that writes them: one that bound them all could be of any size. So another
   * commit comes before it, of which nothing is known but the last two.
   */
  plan(commitBytes: number, besideBytes: number): void {
    if (this.before === 0 && this.#next === 0 && this.#demanded > 0) this.#demandLeft();
    if (this.before === 0) this.#considerRound(commitBytes, besideBytes);
    else this.#count();
  }

  /**
   * All bases in blocks below that ordinal are to be written again, however short the log is (E1). As with any round, behind the next
   * cut where changes that came meanwhile were weighed as touches.
   */
  demand(before: number): void {
    this.#demanded = before;
    this.#parts.ledger.countBelow(before);
    if (this.#parts.table.states.isUsed) this.#next = before;
    else this.#begin(before);
  }

  /** Parts of a base that was begun before the demand make no base behind it: such an entry is found by another round. */
  #demandLeft(): void {
    if (this.#parts.ledger.countBelow(this.#demanded) > 0) this.#begin(this.#demanded);
    else this.#demanded = 0;
  }

  /** All changes up to now are in a cut. */
  changesAreCut(): void {
    if (this.#next > 0) this.#begin(this.#next);
  }

  /** How many bytes the cut may sweep whose changes were counted for `changedBytes`. */
  shareOf(changedBytes: number): number {
    return Math.max(changedBytes * SWEEP_RATIO, SWEEP_BYTES_MIN);
  }

  /** A cut has written so many bytes for its changes, for which it might sweep so many. */
  paced(writtenBytes: number, share: number): void {
    this.#pace = share / Math.max(1, writtenBytes);
  }

  /**
   * The next entries whose base is older than the round into `group`, of up to so many bytes, looking at up to `slots` slots.
   * How many slots a cut looks at has no other bound: traffic that goes on while a round only looks for old bases would count
   * against K8. Valid until the next call.
   */
  gather(group: Int32Array, bytes: number, slots: number): { readonly count: number; readonly looked: number } {
    const { table, longBytes } = this.#parts;
    const { slotsEnd } = table;
    const first = this.#hand;
    const end = Math.min(slotsEnd, first + slots);
    let count = 0;
    let isLong = false;
    // One that may come in parts is the last of its group: those behind it come behind it in every cut.
    for (let left = bytes; count < group.length && left > 0 && !isLong; this.#hand += 1) {
      this.#hand = table.nextOlder(this.#hand, end, this.before);
      if (this.#hand === end) break;
      group[count] = this.#hand;
      count += 1;
      const { baseBytes } = this.#view.at(this.#hand);
      left -= baseBytes;
      isLong = baseBytes > PAGE_BYTES_MAX;
    }
    this.#gathered.count = count;
    this.#gathered.looked = this.#hand - first;
    if (this.#hand >= slotsEnd && !isLong && longBytes() === 0) this.#end();
    return this.#gathered;
  }

  #considerRound(commitBytes: number, besideBytes: number): void {
    const { ledger, table, sizes } = this.#parts;
    const { bytes: liveBytes } = sizes;
    const { changelogFactor, unsweptLogBytes } = this.#limits;
    const allowed = Math.max(liveBytes * changelogFactor, 2 * unsweptLogBytes);
    const most = allowed * SWEEP_FROM;
    const { isUsed: haveStates } = table.states;
    const nextBytes = commitBytes + (haveStates ? Math.min(commitBytes, this.#commitBytes) : 0);
    this.#commitBytes = commitBytes;
    const logBytes = ledger.logBytes + nextBytes + liveBytes / this.#pace;
    // The log may have become shorter by far, with what lives.
    this.#plannedAt = Math.min(this.#plannedAt, logBytes);
    if (logBytes + liveBytes < most || logBytes < this.#plannedAt + allowed / PLANS) return;
    this.#plannedAt = logBytes;
    const freed = Math.max(ledger.logBytes * (1 - SWEEP_LEAVES), COMMITS_FREED * besideBytes);
    const before = ledger.newest(Math.max(0, ledger.logBytes - freed));
    if (logBytes + this.#bytesOf(ledger.countBelow(before)) < most) return;
    if (haveStates) this.#next = before;
    else this.#begin(before);
  }

  #begin(before: number): void {
    this.#next = 0;
    this.before = before;
    this.#hand = 0;
    this.#count();
  }

  #count(): void {
    this.#bytes = this.#bytesOf(this.#parts.ledger.basesBelow);
    if (this.#bytes === 0) this.#end();
  }

  #end(): void {
    this.before = 0;
    this.#bytes = 0;
    this.#plannedAt = 0;
  }

  #bytesOf(bases: number): number {
    return this.#parts.sizes.most(bases, this.#parts.table.size);
  }
}
