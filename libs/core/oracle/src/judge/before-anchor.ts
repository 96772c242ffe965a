// The commits before the first one whose whole state the changelog holds: what they brought about is folded when that one is met,
// and looked for on the output.
//
// Owns: which commits they are.
// Does not own: folding (PartitionCheck), what the output says (OutputCheck).
//
// Invariants
//   BF1  A commit is a few numbers until then. What the fold has brought about and the output has not been seen to say is held:
//        where the output lacks its beginning, at most UNSAID_MAX of it, as that may never be said.
import { NotABlock } from '../logs/block-reader.ts';
import type { BlockHeader } from '../logs/changelog-block.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { ExpectedRecord, KindEntries, LaterState } from '../rules/reading.ts';
import type { OutputCheck } from './output-check.ts';

/** Header fields by which the input is folded. */
export type FoldedCommit = Pick<BlockHeader, 'sequence' | 'position' | 'clock'>;

export interface BeforeAnchorParts {
  readonly entries: KindEntries;
  readonly images: ReadonlyMap<string, LoggedImage>;
  readonly output: OutputCheck;
  readonly onSaid: (said: ExpectedRecord) => void;
  readonly unsaidMax?: number | undefined;
}

/** How much of the input is folded between two looks at the output. */
const FOLLOWED_OFFSETS = 64;
/** So many records, of which the output may have lost the lines. */
const UNSAID_MAX = 50_000;

export class BeforeAnchor {
  readonly #parts: BeforeAnchorParts;
  readonly #unsaidMax: number;
  readonly #state: LaterState;
  #commits: FoldedCommit[] = [];
  /** Once more is held, what may be let go of is. */
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

  add({ sequence, position, clock }: FoldedCommit): void {
    this.#commits.push({ sequence, position, clock });
  }

  take(): readonly FoldedCommit[] {
    const taken = this.#commits;
    this.#commits = [];
    return taken;
  }

  /** Where the input is folded to next, on the way from `folded` to `position`. */
  next(folded: number, position: number): number {
    return Math.min(position, folded + FOLLOWED_OFFSETS);
  }

  /** The input is folded up to `folded`. */
  async follow(folded: number): Promise<void> {
    const { entries, output, onSaid } = this.#parts;
    await output.follow(folded, this.#state.stands, onSaid);
    if (entries.remembered <= this.#heldMost) return;
    const gone = entries.forgetUnsaid(output.isWhole ? Infinity : this.#unsaidMax, this.#state);
    for (const each of gone) onSaid(each);
    if (gone.length > 0) output.letGo(folded);
    this.#heldMost = entries.remembered + this.#unsaidMax;
  }
}

/** An image that cannot be read is found where the states are compared. */
function hasSaid(...[entries, name, id, logged]: [KindEntries, ...Parameters<KindEntries['hasSaid']>]): boolean {
  try {
    return entries.hasSaid(name, id, logged);
  } catch (error) {
    if (!(error instanceof NotABlock)) throw error;
    return false;
  }
}
