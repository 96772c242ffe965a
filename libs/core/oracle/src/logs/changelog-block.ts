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
  /** Input position that the commit has applied, */
  readonly position: number;
  /** and the checksum and leader epoch of the batch before it; the epoch is below 0 if there was none. */
  readonly checksum: number;
  readonly leaderEpoch: number;
  /** The first input offset that the application reads (R3). */
  readonly origin: number;
  readonly clock: Millis;
  readonly floor: number;
  readonly liveEntries: number;
  readonly digest: number;
  /** Settings of the commits so far; empty: not stated. */
  readonly settings: readonly SaidSettings[];
}

/** The settings of the commits from one on, until the next. */
export interface SaidSettings {
  readonly sequence: number;
  /** Input offset from which records were applied by them. */
  readonly from: number;
  /** JSON: options by their names. */
  readonly text: string;
}

export interface StateBlock {
  readonly kind: 'state';
  readonly header: BlockHeader;
  readonly operations: readonly BlockOperation[];
}

export type ChangelogBlock = { readonly kind: 'claim' } | StateBlock;

const LETTER_F = 0x46;
const VERSION = 2;
const VERSION_WITH_SETTINGS = 3;
const VERSION_WITH_SOURCES = 4;
const VERSION_WITH_DISORDER = 5;
const VERSIONS = [VERSION, VERSION_WITH_SETTINGS, VERSION_WITH_SOURCES, VERSION_WITH_DISORDER];
const STATE = 1;
const CLAIM = 2;
const STATE_WITH_HOLDS = 3;
const STATE_WITH_ORIGIN = 4;
const STATE_WITH_SETTINGS = 5;
const STATES = [STATE, STATE_WITH_HOLDS, STATE_WITH_ORIGIN, STATE_WITH_SETTINGS];

/** @throws NotABlock */
export function readBlock(value: Uint8Array): ChangelogBlock {
  const block = new BlockReader(value);
  if (block.byte() !== LETTER_F) throw new NotABlock('does not begin with F');
  const version = block.byte();
  if (!VERSIONS.includes(version))
    throw new NotABlock(`is of format version ${version}, known are ${VERSIONS.join(', ')}`);
  const kind = block.byte();
  if (kind === CLAIM) return { kind: 'claim' };
  if (!STATES.includes(kind)) throw new NotABlock(`is of kind ${kind}`);
  // A block of entries with sources or disorder may have settings or not.
  if (version < VERSION_WITH_SOURCES && (version === VERSION_WITH_SETTINGS) !== (kind === STATE_WITH_SETTINGS))
    throw new NotABlock(`is of kind ${kind}, which version ${version} does not have, or a lower one has, too`);
  const fields = readHeader(block);
  const origin = kind === STATE_WITH_ORIGIN || kind === STATE_WITH_SETTINGS ? block.varint() : 0;
  if (kind !== STATE) block.list(() => [block.varint(), block.varint()]);
  const settings = kind === STATE_WITH_SETTINGS ? block.list(() => readSettings(block)) : [];
  const header = { ...fields, origin, settings };
  return { kind: 'state', header, operations: readOperations(block) };
}

function readSettings(block: BlockReader): SaidSettings {
  const sequence = block.varint();
  const from = block.varint();
  return { sequence, from, text: block.text() };
}

function readHeader(block: BlockReader): Omit<BlockHeader, 'origin' | 'settings'> {
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
