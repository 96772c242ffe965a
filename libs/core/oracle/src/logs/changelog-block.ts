// A changelog block as docs/FORMATS.md describes it (K1, K9).
import type { Millis } from '@flatline/base';
import { type BlockOperation, readOperations } from './block-operation.ts';
import { BlockReader, NotABlock } from './block-reader.ts';

/** The parts of a commit's header that can be judged. */
export interface BlockHeader {
  readonly logId: string;
  readonly owner: string;
  readonly commitId: string;
  readonly sequence: number;
  readonly previousCommitId: string;
  readonly part: number;
  readonly parts: number;
  /** Input position applied through, */
  readonly position: number;
  /** and of the batch before it the checksum and the leader epoch, which is below 0 where there was none. */
  readonly checksum: number;
  readonly leaderEpoch: number;
  /** The first input offset that the application reads (R3). */
  readonly origin: number;
  readonly clock: Millis;
  readonly floor: number;
  readonly liveEntries: number;
  readonly digest: number;
}

export interface StateBlock {
  readonly kind: 'state';
  readonly header: BlockHeader;
  readonly operations: readonly BlockOperation[];
}

export type ChangelogBlock = { readonly kind: 'claim' } | StateBlock;

const LETTER_F = 0x46;
const VERSION = 2;
const STATE = 1;
const CLAIM = 2;
const STATE_WITH_HOLDS = 3;
const STATE_WITH_ORIGIN = 4;

/** @throws NotABlock */
export function readBlock(value: Uint8Array): ChangelogBlock {
  const block = new BlockReader(value);
  if (block.byte() !== LETTER_F) throw new NotABlock('does not begin with F');
  const version = block.byte();
  if (version !== VERSION) throw new NotABlock(`is of format version ${version}, known is ${VERSION}`);
  const kind = block.byte();
  if (kind === CLAIM) return { kind: 'claim' };
  if (kind !== STATE && kind !== STATE_WITH_HOLDS && kind !== STATE_WITH_ORIGIN)
    throw new NotABlock(`is of kind ${kind}`);
  const fields = readHeader(block);
  const origin = kind === STATE_WITH_ORIGIN ? block.varint() : 0;
  if (kind !== STATE) block.list(() => [block.varint(), block.varint()]);
  const header = { ...fields, origin };
  return { kind: 'state', header, operations: readOperations(block) };
}

function readHeader(block: BlockReader): Omit<BlockHeader, 'origin'> {
  const logId = block.text();
  const owner = block.text();
  const commitId = block.text();
  const sequence = block.varint();
  const previousCommitId = block.text();
  const part = block.varint();
  const parts = block.varint();
  block.varint(); // partitions of the input
  const positions = block.list(() => readPosition(block));
  if (positions.length !== 1) throw new NotABlock(`has ${positions.length} inputs, known is one`);
  const clock = block.varint();
  block.varint(); // held time
  const floor = block.varint();
  const liveEntries = block.varint();
  const digest = block.u32();
  block.varint(); // live bytes
  block.varint(); // log bytes
  const chain = { logId, owner, commitId, sequence, previousCommitId, part, parts };
  return { ...chain, ...positions[0]!, clock, floor, liveEntries, digest };
}

function readPosition(block: BlockReader): Pick<BlockHeader, 'position' | 'checksum' | 'leaderEpoch'> {
  const position = block.varint();
  const checksum = block.u32();
  const leaderEpoch = block.signed();
  block.stamp(); // batch timestamp
  block.byte(); // live
  return { position, checksum, leaderEpoch };
}
