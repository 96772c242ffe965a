// The bytes of a changelog block: a header that says where in the log of commits it stands, and a body of absolute state.
//
//   block   = 'F' · version u8 · kind u8 ·
//             (claim | header body | header holds body | header origins holds body | header origins holds settings body |
//              header origins clocks holds settings body |
//              header origins [clocks] holds settings kept body |
//              header origins [clocks] holds settings kept evictions body)
//   claim   = owner text · claim id text
//   holds   = count varint · for each: from varint · ms varint      (C8; a kind of its own, where there are any)
//   origins = for each input: origin varint                        (a kind of its own, where one is not 0)
//   clocks  = for each input: its own clock varint               (S8; a kind of its own with origins, holds and settings, in version 5)
//   settings = count varint · for each: sequence varint · from varint · text      (a kind of its own, in version 3)
//   kept    = length varint · what the kind keeps beside its entries, in the last block of a commit (a kind of its own, with clocks
//             where there are several inputs, in version 5)
//   evictions = length varint · those under way (acts/eviction.ts), in the last block of a commit (a kind of its own, in which the
//             length of kept is 0 where the kind keeps nothing, in version 5)
//   body    = operations to the end of the block, each: distance of its slot × 16 + kind, varint · what its kind says:
//             0  remove
//             1  bind     key (varint length, bytes) · head (varint length, bytes)
//             2  page     page number varint · bytes (varint length, bytes)
//             3  append   page number varint · at varint · bytes (varint length, bytes)
//             4  touch    varint length, bytes
//             5–13        a touch of 3 to 11 bytes, and these
//             14 rebind   pages varint · key (varint length, bytes) · head (varint length, bytes)
//             15 based    changelog offset varint
//
// The distance of a slot is that from the operation before, modulo 2^25; from slot 0 for the first of a block. A bind is the base
// of its entry, which has no pages but those that follow it (K3); heads and touches are the kind's. A rebind leaves the entry as
// many of its pages; and one that a reader does not know begins with it, not whole before it is based: from then on its base is
// the block at that offset, with a rebind that all its pages follow, in commit after commit.
//
// A block is one Kafka record, so its length and checksum are Kafka's. Format versions 2 to 6 are pinned by golden bytes; a
// reader that meets another version stops (K9). A block bears the least version that has what it says: 3 has settings, 4 has
// entries whose heads and states no former version knows (`EntryFormat.leastVersion`), 5 several inputs; a kind
// says which has what it keeps (`KeptBytes.leastVersion`): 6 has packed sketches (S12).
import {
  assert,
  ByteReader,
  ByteWriter,
  CHANGELOG_FORMAT,
  CHANGELOG_FORMAT_WITH_INPUTS,
  CHANGELOG_FORMAT_WITH_KEPT,
  CHANGELOG_FORMAT_WITH_SETTINGS,
  CHANGELOG_FORMATS,
  copyBytes,
  INSTANT_MAX,
  MalformedBytes,
  type Millis,
} from '@flatline/base';
import { type HeldState, type Hold, type KeptBytes, readEvictions } from '@flatline/kinds';

const MAGIC = 0x46;
const KIND_STATE = 1;
const KIND_CLAIM = 2;
const KIND_HELD_STATE = 3;
/** Also holds, of which there may be none. */
const KIND_STATE_WITH_ORIGIN = 4;
/** Also origins and holds. */
const KIND_STATE_WITH_SETTINGS = 5;
/** Also all of these, and a clock for each input. */
const KIND_STATE_OF_SEVERAL = 6;
/** Also all of these, the clocks where there are several inputs, and what the kind keeps. */
const KIND_STATE_WITH_KEPT = 7;
/** Also all of these, what the kind keeps only where it keeps anything, and evictions. */
const KIND_STATE_WITH_EVICTIONS = 8;
const STATE_KINDS = [
  KIND_STATE,
  KIND_HELD_STATE,
  KIND_STATE_WITH_ORIGIN,
  KIND_STATE_WITH_SETTINGS,
  KIND_STATE_OF_SEVERAL,
  KIND_STATE_WITH_KEPT,
  KIND_STATE_WITH_EVICTIONS,
];
/** The version of blocks that say no settings. */
const FORMAT_WITHOUT_SETTINGS = 2;
/** Bits of an operation's kind, and slots that there can be: a distance is less. */
export const KIND_BITS = 4;
export const SLOT_SPACE = 2 ** 25;
export const OP_REMOVE = 0;
export const OP_BIND = 1;
export const OP_PAGE = 2;
export const OP_APPEND = 3;
export const OP_TOUCH = 4;
/** A touch of so many bytes more has the next kind. */
export const OP_SHORT_TOUCH = 5;
export const SHORT_TOUCH_MIN = 3;
export const SHORT_TOUCH_MAX = 11;
export const OP_REBIND = 14;
export const OP_BASED = 15;
/** Kafka's. */
const NO_TIMESTAMP = -1;

/** Where one input stood: everything below `position` is applied. The rest is the fingerprint of the batch before it (R3). */
export interface InputPosition {
  readonly position: number;
  /** CRC-32C, leader epoch and greatest timestamp of the batch that holds `position − 1`; epoch −2: nothing read yet. */
  readonly checksum: number;
  readonly leaderEpoch: number;
  readonly batchTimestamp: Millis;
  /** C2, CreateTime: the last record read was within `liveWithinMs` of the present when it was read. */
  readonly live: boolean;
  /** Where this application began to read: nothing below was ever applied, nor will be (R3). */
  readonly origin: number;
  /** Greatest stamp of the records below `position`: where there are several inputs, their order needs it (S8). */
  readonly clock?: Millis;
}

/**
 * A batch's greatest timestamp as it stands in a header. Producers stamp what they like, nanoseconds or Long.MIN, also where
 * every record is refused for it (C6): beyond what is an instant, the nearest stands for it. The checksum covers all of it.
 */
export function recordedStamp(stamp: Millis): Millis {
  return Math.max(NO_TIMESTAMP, Math.min(stamp, INSTANT_MAX));
}

/** Epoch of an input position that has no batch before it. */
export const NO_BATCH = -2;

/** Commits that were made by the same settings (SettingsHistory). */
export interface SettingsStretch {
  /** The first one's. */
  readonly sequence: number;
  /** Input position of the commit before: from here on records were applied by them. */
  readonly from: number;
  readonly text: string;
}

/** Fields by which the runtime names a commit. */
export interface CommitName {
  /** Random id of this changelog, made once with its first commit. */
  readonly logId: string;
  /** Instance that wrote it, human-readable. */
  readonly owner: string;
  /** Random id of its committer, and a counter: names the commit for good, resent or not. */
  readonly commitId: string;
  readonly sequence: number;
  /** Commit id of the commit before; empty for the first. */
  readonly previousCommitId: string;
  /** Partitions of the input: keys lie elsewhere once there are more (R3). */
  readonly inputPartitions: number;
}

/** Fields that the task knows besides: how far its input is applied. */
export interface CutContext extends CommitName, HeldState {
  readonly inputs: readonly InputPosition[];
  readonly clock: Millis;
  /** The kind's own state (`Kept`). Default: none. */
  readonly kept?: KeptBytes | undefined;
  /** Evictions under way (Q4). Default: there are none. */
  readonly evictions?: Uint8Array | undefined;
}

/** Header of a commit, but for which of its blocks it stands in. */
export interface CutHeader extends CutContext {
  /** Changelog offset below which no live entry has its base (K3). */
  readonly floor: number;
  readonly liveEntries: number;
  /** Order-free digest of the live state after this commit, unsigned (R1). */
  readonly digest: number;
  /** Bytes of bases of the live entries after this commit, and of all blocks from the floor to the end of the commit before (K8). */
  readonly liveBytes: number;
  readonly logBytes: number;
  /** By which settings the commits so far were made, where this one says it. Default: it does not. */
  readonly settings?: readonly SettingsStretch[];
}

/** K1. The same in all blocks of a commit but for `part`. */
export interface CommitHeader extends CutHeader {
  readonly part: number;
  readonly parts: number;
}

export interface Claim {
  readonly owner: string;
  readonly claimId: string;
}

export type Block =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'state'; readonly header: CommitHeader; readonly bodyStart: number };

/** `format`: K9. Default: the newest. */
export function encodeClaim(claim: Claim, format = CHANGELOG_FORMAT): Uint8Array {
  const out = new ByteWriter(128);
  preamble(out, KIND_CLAIM, format, FORMAT_WITHOUT_SETTINGS);
  out.text(claim.owner);
  out.text(claim.claimId);
  return out.copy();
}

/** `entriesNeed`: the least version that has the entries of the commit; where there are such, they are written whatever is pinned. */
export function encodeHeader(
  header: CommitHeader,
  out: ByteWriter,
  format = CHANGELOG_FORMAT,
  entriesNeed = FORMAT_WITHOUT_SETTINGS,
): void {
  const kind = stateKindOf(header);
  const ofSeveral = header.inputs.length > 1;
  const hasSettings = kind === KIND_STATE_WITH_SETTINGS;
  const least = hasSettings ? CHANGELOG_FORMAT_WITH_SETTINGS : FORMAT_WITHOUT_SETTINGS;
  const inputsNeed = ofSeveral ? CHANGELOG_FORMAT_WITH_INPUTS : least;
  const kindNeeds = kind >= KIND_STATE_WITH_KEPT ? CHANGELOG_FORMAT_WITH_KEPT : least;
  const keptNeeds = header.kept?.leastVersion ?? least;
  preamble(out, kind, format, least, Math.max(entriesNeed, inputsNeed, kindNeeds, keptNeeds));
  out.text(header.logId);
  out.text(header.owner);
  out.text(header.commitId);
  out.varint(header.sequence);
  out.text(header.previousCommitId);
  out.varint(header.part);
  out.varint(header.parts);
  out.varint(header.inputPartitions);
  out.varint(header.inputs.length);
  for (const input of header.inputs) {
    out.varint(input.position);
    out.u32(input.checksum);
    out.signedVarint(input.leaderEpoch);
    out.signedVarint(recordedStamp(input.batchTimestamp));
    out.u8(input.live ? 1 : 0);
  }
  out.varint(header.clock);
  out.varint(header.heldMs);
  out.varint(header.floor);
  out.varint(header.liveEntries);
  out.u32(header.digest);
  out.varint(header.liveBytes);
  out.varint(header.logBytes);
  if (hasOrigins(kind)) for (const { origin } of header.inputs) out.varint(origin);
  if (ofSeveral) for (const { clock = 0 } of header.inputs) out.varint(clock);
  if (kind !== KIND_STATE) encodeHolds(header.holds, out);
  if (mayHaveSettings(kind)) encodeSettings(header.settings ?? [], out);
  if (header.kept !== undefined) out.block(header.kept.bytes);
  if (header.evictions === undefined) return;
  if (header.kept === undefined) out.varint(0);
  out.block(header.evictions);
}

function hasOrigins(kind: number): boolean {
  return kind === KIND_STATE_WITH_ORIGIN || mayHaveSettings(kind);
}

function mayHaveSettings(kind: number): boolean {
  return kind >= KIND_STATE_WITH_SETTINGS;
}

/** Most applications begin at 0 and hold nothing, and few commits say settings: other blocks say nothing about these. */
function stateKindOf({ inputs, holds, settings = [], kept, evictions }: CommitHeader): number {
  if (evictions !== undefined) return KIND_STATE_WITH_EVICTIONS;
  if (kept !== undefined) return KIND_STATE_WITH_KEPT;
  if (inputs.length > 1) return KIND_STATE_OF_SEVERAL;
  if (settings.length > 0) return KIND_STATE_WITH_SETTINGS;
  if (inputs.some(({ origin }) => origin > 0)) return KIND_STATE_WITH_ORIGIN;
  return holds.length > 0 ? KIND_HELD_STATE : KIND_STATE;
}

function encodeHolds(holds: readonly Hold[], out: ByteWriter): void {
  out.varint(holds.length);
  for (const { from, ms } of holds) {
    out.varint(from);
    out.varint(ms);
  }
}

function encodeSettings(settings: readonly SettingsStretch[], out: ByteWriter): void {
  out.varint(settings.length);
  for (const { sequence, from, text } of settings) {
    out.varint(sequence);
    out.varint(from);
    out.text(text);
  }
}

/**
 * The bytes of a header as a local store keeps them, with all the settings that are known: what is read of the log from there on
 * may not say them.
 */
export function storedHeader(header: CommitHeader, settings: readonly SettingsStretch[]): Uint8Array {
  const out = new ByteWriter(256);
  encodeHeader({ ...header, settings }, out);
  return out.copy();
}

/** @throws MalformedBytes, also for a format version this build does not know (K9). */
export function decodeBlock(bytes: Uint8Array): Block {
  const input = new ByteReader(bytes);
  if (input.u8() !== MAGIC) throw new MalformedBytes('not a Flatline changelog block');
  const version = input.u8();
  if (!CHANGELOG_FORMATS.includes(version)) throw new MalformedBytes(otherVersion(version));
  const kind = input.u8();
  if (kind === KIND_CLAIM) return { kind: 'claim', claim: { owner: input.text(), claimId: input.text() } };
  if (!STATE_KINDS.includes(kind)) throw new MalformedBytes(`changelog block of unknown kind ${kind}`);
  const header = decodeHeader(input, kind, version);
  return { kind: 'state', header, bodyStart: input.position };
}

function otherVersion(version: number): string {
  const what = `changelog format version ${version}, this build reads ${CHANGELOG_FORMATS.slice(0, -1).join(', ')} and ${CHANGELOG_FORMATS.at(-1)}`;
  if (version > CHANGELOG_FORMAT)
    return `${what}: run the newer Flatline that wrote it. The way back is open while that has changelogFormat ${CHANGELOG_FORMAT}`;
  return `${what}: no release wrote that. Start the application under another name, or reset it, and it begins from its input`;
}

/** `format`: the one that is pinned; `least`: the first that has what the block says. */
function preamble(out: ByteWriter, kind: number, format: number, least: number, entriesNeed = least): void {
  assert(CHANGELOG_FORMATS.includes(format), 'a changelog format that is written is one that is read', { format });
  assert(least <= format, 'nothing is said that the pinned format has not', { format, least });
  out.u8(MAGIC);
  out.u8(Math.max(least, entriesNeed));
  out.u8(kind);
}

/** Takes it that what is kept needs the block's version: something of the block does. */
function decodeHeader(input: ByteReader, kind: number, version: number): CommitHeader {
  const header = decodeFields(input);
  const begun = hasOrigins(kind) ? header.inputs.map((each) => ({ ...each, origin: input.varint() })) : header.inputs;
  const hasClocks = kind >= KIND_STATE_OF_SEVERAL && begun.length > 1;
  const inputs = hasClocks ? begun.map((each) => ({ ...each, clock: input.varint() })) : begun;
  const holds = kind === KIND_STATE ? [] : decodeHolds(input);
  const settings = mayHaveSettings(kind) ? decodeSettings(input) : [];
  const said = { ...header, inputs, holds, settings };
  if (kind < KIND_STATE_WITH_KEPT) return said;
  const kept = { bytes: copyOf(input.block()), leastVersion: version };
  if (kind === KIND_STATE_WITH_KEPT) return { ...said, kept };
  const evictions = copyOf(input.block());
  // Whoever resumes from the commit relies on it.
  readEvictions(new ByteReader(evictions));
  return { ...said, ...(kept.bytes.length > 0 && { kept }), evictions };
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return copyBytes(bytes, 0, bytes.length);
}

function decodeFields(input: ByteReader): Omit<CommitHeader, 'holds' | 'settings'> {
  return {
    logId: input.text(),
    owner: input.text(),
    commitId: input.text(),
    sequence: input.varint(),
    previousCommitId: input.text(),
    part: input.varint(),
    parts: input.varint(),
    inputPartitions: input.varint(),
    inputs: decodeInputs(input),
    clock: input.varint(),
    heldMs: input.varint(),
    floor: input.varint(),
    liveEntries: input.varint(),
    digest: input.u32(),
    liveBytes: input.varint(),
    logBytes: input.varint(),
  };
}

/** One by one, as inputs. */
function decodeHolds(input: ByteReader): Hold[] {
  const holds: Hold[] = [];
  for (let left = input.varint(); left > 0; left -= 1) holds.push({ from: input.varint(), ms: input.varint() });
  return holds;
}

/** One by one, as inputs. */
function decodeSettings(input: ByteReader): SettingsStretch[] {
  const settings: SettingsStretch[] = [];
  for (let left = input.varint(); left > 0; left -= 1)
    settings.push({ sequence: input.varint(), from: input.varint(), text: input.text() });
  return settings;
}

/** One by one: a damaged count ends with the bytes there are, not with the memory. */
function decodeInputs(input: ByteReader): InputPosition[] {
  const inputs: InputPosition[] = [];
  for (let left = input.varint(); left > 0; left -= 1)
    inputs.push({
      position: input.varint(),
      checksum: input.u32(),
      leaderEpoch: input.signedVarint(),
      batchTimestamp: recordedStamp(input.signedVarint()),
      live: input.u8() === 1,
      origin: 0,
    });
  return inputs;
}
