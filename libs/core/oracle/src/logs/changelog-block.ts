// A changelog block as docs/FORMATS.md describes it (K1, K9).
import type { Millis } from '@flatline/base';
import type { SaidEviction } from './evictions.ts';
import { type BlockOperation, readOperations } from './block-operation.ts';
import { BlockReader, NotABlock } from './block-reader.ts';
import type { Positions } from './places.ts';

/** The parts of a commit's header that can be judged. */
export interface BlockHeader {
  readonly logId: string;
  readonly owner: string;
  readonly commitId: string;
  readonly sequence: number;
  readonly previousCommitId: string;
  readonly part: number;
  readonly parts: number;
  /** Input position applied through, of the first input where there are several, */
  readonly position: number;
  /** and the checksum and leader epoch of the batch before it; the epoch is below 0 if there was none. */
  readonly checksum: number;
  readonly leaderEpoch: number;
  /** The first input offset that the application reads (R3), of the first input. */
  readonly origin: number;
  /** The same of each input; and its clock, where there are several (S8). */
  readonly positions: Positions;
  readonly origins: Positions;
  readonly clocks: readonly Millis[];
  readonly clock: Millis;
  readonly floor: number;
  readonly liveEntries: number;
  readonly digest: number;
  /** Settings of the commits so far; empty: not stated. */
  readonly settings: readonly SaidSettings[];
  /** Windows of statistics that end here or before are over (S12); undefined: there are none. */
  readonly settledTo: Millis | undefined;
  /** Evictions of which entries may be left (Q4). */
  readonly evictions: readonly SaidEviction[];
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

export type ChangelogBlock = { readonly kind: 'claim'; readonly owner: string } | StateBlock;

const LETTER_F = 0x46;
const VERSION = 2;
const VERSION_WITH_SETTINGS = 3;
const VERSION_WITH_SOURCES = 4;
/** With disorder, when a session was last told of, early data, or several inputs. */
const VERSION_WITH_MORE = 5;
/** With a sketch in bits in what is kept. */
const VERSION_WITH_BITS = 6;
const VERSIONS = [VERSION, VERSION_WITH_SETTINGS, VERSION_WITH_SOURCES, VERSION_WITH_MORE, VERSION_WITH_BITS];
const STATE = 1;
const CLAIM = 2;
const STATE_WITH_HOLDS = 3;
const STATE_WITH_ORIGIN = 4;
const STATE_WITH_SETTINGS = 5;
const STATE_OF_SEVERAL = 6;
/** With what is kept beside the entries. */
const STATE_WITH_KEPT = 7;
/** With that, if anything, and evictions under way. */
const STATE_WITH_EVICTIONS = 8;
const WITH_BOTH = [STATE_WITH_KEPT, STATE_WITH_EVICTIONS];
const WITH_SETTINGS = [STATE_WITH_SETTINGS, STATE_OF_SEVERAL, ...WITH_BOTH];
const WITH_ORIGINS = [STATE_WITH_ORIGIN, ...WITH_SETTINGS];
const STATES = [STATE, STATE_WITH_HOLDS, ...WITH_ORIGINS];

/** @throws NotABlock */
export function readBlock(value: Uint8Array): ChangelogBlock {
  const block = new BlockReader(value);
  if (block.byte() !== LETTER_F) throw new NotABlock('does not begin with F');
  const version = block.byte();
  if (!VERSIONS.includes(version))
    throw new NotABlock(`is of format version ${version}, known are ${VERSIONS.join(', ')}`);
  const kind = block.byte();
  if (kind === CLAIM) return { kind: 'claim', owner: block.text() };
  if (!STATES.includes(kind)) throw new NotABlock(`is of kind ${kind}`);
  // A block of entries with sources or disorder may have settings or not.
  if (version < VERSION_WITH_SOURCES && (version === VERSION_WITH_SETTINGS) !== (kind === STATE_WITH_SETTINGS))
    throw new NotABlock(`is of kind ${kind}, which version ${version} does not have, or a lower one has, too`);
  if ((kind === STATE_OF_SEVERAL || WITH_BOTH.includes(kind)) && version < VERSION_WITH_MORE)
    throw new NotABlock(`is of kind ${kind} in version ${version}`);
  const fields = readHeader(block);
  const { positions } = fields;
  const isOfSeveral = positions.length > 1;
  if (isOfSeveral !== (kind === STATE_OF_SEVERAL) && !WITH_BOTH.includes(kind))
    throw new NotABlock(`is of kind ${kind} and has ${positions.length} inputs`);
  const origins = positions.map(() => (WITH_ORIGINS.includes(kind) ? block.varint() : 0));
  const clocks = isOfSeveral ? positions.map(() => block.varint()) : [];
  if (kind !== STATE) block.list(() => [block.varint(), block.varint()]);
  const settings = WITH_SETTINGS.includes(kind) ? block.list(() => readSettings(block)) : [];
  const kept = WITH_BOTH.includes(kind) ? block.bytes(block.varint()) : NOTHING;
  if (version === VERSION_WITH_BITS && kept.length === 0) throw new NotABlock(`keeps nothing in version ${version}`);
  const settledTo = kept.length > 0 || kind === STATE_WITH_KEPT ? settledIn(kept) : undefined;
  const evictions = kind === STATE_WITH_EVICTIONS ? evictionsIn(block.bytes(block.varint())) : [];
  const header = { ...fields, settledTo, evictions, origin: origins[0]!, origins, clocks, settings };
  return { kind: 'state', header, operations: readOperations(block) };
}

const NOTHING = new Uint8Array(0);

/** At least one is under way. */
function evictionsIn(bytes: Uint8Array): SaidEviction[] {
  const block = new BlockReader(bytes);
  const evictions = block.list(() => {
    const [attribute, equals] = [block.text(), block.text()];
    const [offset, at] = [block.varint(), block.varint()];
    return { attribute, equals, offset, at, atLeast: at };
  });
  if (evictions.length === 0 || !block.isAtEnd) throw new NotABlock('has no evictions, or bytes behind them');
  return evictions;
}

/** The rest is written down and read back by the processor alone: what it comes to is on `<output>.stats`. */
function settledIn(kept: Uint8Array): Millis {
  const statistics = new BlockReader(kept);
  statistics.text(); // rules
  statistics.varint(); // first place counted
  statistics.varint(); // clock of then
  return statistics.varint();
}

function readSettings(block: BlockReader): SaidSettings {
  const sequence = block.varint();
  const from = block.varint();
  return { sequence, from, text: block.text() };
}

function readHeader(
  block: BlockReader,
): Omit<BlockHeader, 'origin' | 'origins' | 'clocks' | 'settings' | 'settledTo' | 'evictions'> {
  const logId = block.text();
  const owner = block.text();
  const commitId = block.text();
  const sequence = block.varint();
  const previousCommitId = block.text();
  const part = block.varint();
  const parts = block.varint();
  block.varint(); // partitions of the input
  const inputs = block.list(() => readPosition(block));
  if (inputs.length === 0) throw new NotABlock('has no input');
  const positions = inputs.map(({ position }) => position);
  const clock = block.varint();
  block.varint(); // held time
  const floor = block.varint();
  const liveEntries = block.varint();
  const digest = block.u32();
  block.varint(); // live bytes
  block.varint(); // log bytes
  const chain = { logId, owner, commitId, sequence, previousCommitId, part, parts };
  return { ...chain, ...inputs[0]!, positions, clock, floor, liveEntries, digest };
}

function readPosition(block: BlockReader): Pick<BlockHeader, 'position' | 'checksum' | 'leaderEpoch'> {
  const position = block.varint();
  const checksum = block.u32();
  const leaderEpoch = block.signed();
  block.stamp(); // batch timestamp
  block.byte(); // live
  return { position, checksum, leaderEpoch };
}
