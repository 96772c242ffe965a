// The commits before the first one whose whole state the changelog has: once that one is met, the input below is folded and the
// records that it leads to are looked for on the output.
//
// Owns: which commits they are.
// Does not own: folding (PartitionCheck), the output (OutputCheck).
//
// Invariants
//   BF1  Until then a commit is a few numbers. Records that the fold expects and the output has not shown are remembered: at most
//        UNSAID_MAX of them where the output lacks its beginning, as they may never be shown.
import { NotABlock } from '../logs/block-reader.ts';
import type { BlockHeader } from '../logs/changelog-block.ts';
import type { Positions } from '../logs/places.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { ExpectedRecord, KindEntries, LaterState } from '../rules/reading.ts';
import type { OutputCheck } from './output-check.ts';

/** Header fields by which the input is folded. */
export type FoldedCommit = Pick<BlockHeader, 'sequence' | 'positions' | 'clock' | 'clocks'>;

export interface BeforeAnchorParts {
  readonly entries: KindEntries;
  readonly images: ReadonlyMap<string, LoggedImage>;
  readonly output: OutputCheck;
  readonly onSaid: (said: ExpectedRecord) => void;
  readonly unsaidMax?: number | undefined;
}

/** Input offsets folded between two looks at the output. */
const FOLLOWED_OFFSETS = 64;
/** Most records to remember whose lines the output may have lost. */
const UNSAID_MAX = 50_000;

export class BeforeAnchor {
  readonly #parts: BeforeAnchorParts;
  readonly #unsaidMax: number;
  readonly #state: LaterState;
  #commits: FoldedCommit[] = [];
  /** Above this number of remembered records, those that may be forgotten are. */
  #heldMost: number;

  constructor(parts: BeforeAnchorParts) {
    const { entries, images, unsaidMax = UNSAID_MAX } = parts;
    this.#parts = parts;
    this.#unsaidMax = unsaidMax;
    this.#heldMost = unsaidMax;
    this.#state = {
      has: (name) => images.has(name),
      stands: (name, id) => hasSaid(entries, name, id, images.get(name)),
    };
  }

  add({ sequence, positions, clock, clocks }: FoldedCommit): void {
    this.#commits.push({ sequence, positions, clock, clocks });
  }

  take(): readonly FoldedCommit[] {
    const taken = this.#commits;
    this.#commits = [];
    return taken;
  }

  /** Where the input is folded to next, on the way from `folded` to `positions`. */
  next(folded: Positions, positions: Positions): Positions {
    // Where there are several, what lies between is no part of their order.
    if (positions.length > 1) return positions;
    return [Math.min(positions[0]!, folded[0]! + FOLLOWED_OFFSETS)];
  }

  /** The input is folded up to `folded`. */
  async follow(folded: Positions): Promise<void> {
    const { entries, output, onSaid } = this.#parts;
    await output.follow(folded, this.#state.stands, onSaid);
    if (entries.remembered <= this.#heldMost) return;
    const gone = entries.forgetUnsaid(output.isWhole ? Infinity : this.#unsaidMax, this.#state);
    for (const each of gone) onSaid(each);
    if (gone.length > 0) output.letGo(folded);
    this.#heldMost = entries.remembered + this.#unsaidMax;
  }
}

/** An unreadable image counts as not said: the comparison of states reports it. */
function hasSaid(...[entries, name, id, logged]: [KindEntries, ...Parameters<KindEntries['hasSaid']>]): boolean {
  try {
    return entries.hasSaid(name, id, logged);
  } catch (error) {
    if (!(error instanceof NotABlock)) throw error;
    return false;
  }
}
