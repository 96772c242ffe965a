// Builds commits from changelog records, and checks the chain that they form (K1, K2, K9).
//
// Owns: the blocks of the commit that is still incomplete, the last link of the chain.
// Does not own: state.
import type { Millis } from '@flatline/base';
import { NotABlock } from '../logs/block-reader.ts';
import type { BlockOperation } from '../logs/block-operation.ts';
import { type BlockHeader, type ChangelogBlock, readBlock, type StateBlock } from '../logs/changelog-block.ts';
import type { Fed } from './feed.ts';
import type { LogRecord } from '../logs/history.ts';
import type { Place } from './place.ts';
import type { TransactionMark } from './transaction-walk.ts';

export interface CommittedOperation {
  readonly operation: BlockOperation;
  readonly offset: number;
}

export interface Commit {
  readonly header: BlockHeader;
  readonly operations: readonly CommittedOperation[];
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The broker's stamp of its last block; undefined where the changelog is stamped by its writers. */
  readonly appendedAt: Millis | undefined;
  readonly transaction: TransactionMark | undefined;
}

interface Incomplete {
  readonly header: BlockHeader;
  readonly operations: CommittedOperation[];
  readonly firstOffset: number;
  parts: number;
}

export class CommitChain {
  readonly #place: Place;
  /** True if the first commit here is the first there ever was. */
  readonly #isWhole: boolean;
  #incomplete: Incomplete | undefined;
  #last: BlockHeader | undefined;
  #owner = '';
  claims = 0;
  owners = 0;

  constructor(place: Place, isWhole: boolean) {
    this.#place = place;
    this.#isWhole = isWhole;
  }

  /** Takes the next committed record; returns the commit that it completes. */
  take({ record, transaction }: Fed<LogRecord>): Commit | undefined {
    const block = this.#read(record);
    if (block === undefined) return undefined;
    if (block.kind === 'state') return this.#state(block, record, transaction);
    this.claims += 1;
    this.finish();
    return undefined;
  }

  /** Reports a commit that still lacks parts at the end of the log. */
  finish(): void {
    if (this.#incomplete === undefined) return;
    const { header, parts, firstOffset } = this.#incomplete;
    this.#place.violation('K1', {
      offset: firstOffset,
      what: `commit ${header.commitId} has ${parts} of its ${header.parts} blocks`,
    });
    this.#incomplete = undefined;
  }

  #read({ value, offset }: LogRecord): ChangelogBlock | undefined {
    try {
      if (value === null) throw new NotABlock('is a null value');
      return readBlock(value);
    } catch (error) {
      if (!(error instanceof NotABlock)) throw error;
      this.#place.violation('K9', { offset, what: `not a block of the changelog: it ${error.message}` });
      return undefined;
    }
  }

  #state(
    { header, operations }: StateBlock,
    { offset, logAppendTime, timestamp }: LogRecord,
    transaction: TransactionMark | undefined,
  ): Commit | undefined {
    if (this.#incomplete?.header.commitId !== header.commitId) this.#begin(header, offset);
    const open = this.#incomplete!;
    if (header.part !== open.parts)
      this.#place.violation('K1', {
        offset,
        what: `part ${header.part} of commit ${header.commitId} follows ${open.parts} others`,
      });
    open.parts += 1;
    for (const operation of operations) open.operations.push({ operation, offset });
    if (open.parts < header.parts) return undefined;
    this.#incomplete = undefined;
    const appendedAt = logAppendTime ? timestamp : undefined;
    const place = { firstOffset: open.firstOffset, lastOffset: offset };
    return { header, operations: open.operations, ...place, appendedAt, transaction };
  }

  #begin(header: BlockHeader, offset: number): void {
    this.finish();
    const last = this.#last;
    // The first commit of a truncated log may lack its first parts: they lay below a floor.
    const partsGone = last === undefined && !this.#isWhole ? header.part : 0;
    this.#incomplete = { header, operations: [], firstOffset: offset, parts: partsGone };
    this.#last = header;
    if (header.owner !== this.#owner) this.owners += 1;
    this.#owner = header.owner;
    if (last === undefined && !this.#isWhole) return;
    const expected = last ?? { sequence: -1, commitId: '', logId: header.logId };
    if (
      header.sequence === expected.sequence + 1 &&
      header.previousCommitId === expected.commitId &&
      header.logId === expected.logId
    )
      return;
    this.#place.violation('K2', {
      offset,
      what:
        `commit ${header.commitId} (sequence ${header.sequence}, after "${header.previousCommitId}", log ${header.logId}) ` +
        `does not follow "${expected.commitId}" (sequence ${expected.sequence}, log ${expected.logId})`,
    });
  }
}
