// Checks that a changelog holds the commit at which a local store stands: the store of another log may end where this one does,
// and nothing after it would tell (R2).
//
// Owns: the proof, once found.
// Does not own: the chain of what follows (Restoration), what to do about it.
import { decodeBlock } from '@flatline/partition';
import type { StoreCheckpoint } from '@flatline/ports';

export type Lineage =
  /** Later than the store: to be applied. */
  | 'after'
  /** The commit the store stands at, which is applied already. */
  | 'found'
  /** Another log. */
  | 'foreign'
  /** No commit, where the log the store was made of has one. */
  | 'none'
  /** The same log, which has lost that commit (R3). */
  | 'lost';

export class LineageCheck {
  readonly #position: number;
  readonly #commitId: string;
  readonly #logId: string;
  #proven: boolean;

  constructor(checkpoint: StoreCheckpoint | undefined) {
    const block = checkpoint && decodeBlock(checkpoint.commitHeader);
    this.#proven = block?.kind !== 'state';
    this.#position = checkpoint?.changelogPosition ?? 0;
    this.#commitId = block?.kind === 'state' ? block.header.commitId : '';
    this.#logId = checkpoint?.logId ?? '';
  }

  /** True once the log was seen to hold the commit, or another that follows it; also without a store. */
  get isProven(): boolean {
    return this.#proven;
  }

  /** Looks at a block before it is applied. @throws MalformedBytes */
  look(bytes: Uint8Array, offset: number): Lineage {
    if (this.#proven || offset >= this.#position) return 'after';
    const block = decodeBlock(bytes);
    if (block.kind !== 'state') return 'none';
    if (block.header.logId !== this.#logId) return 'foreign';
    if (block.header.commitId !== this.#commitId) return 'lost';
    this.#proven = true;
    return 'found';
  }

  /** True if a block is of a log of another name than the store's. @throws MalformedBytes */
  isForeign(bytes: Uint8Array): boolean {
    const block = decodeBlock(bytes);
    return this.#logId !== '' && block.kind === 'state' && block.header.logId !== this.#logId;
  }

  /** A commit after it was applied: its chain leads to the store's. */
  followed(): void {
    this.#proven = true;
  }
}
