// Random histories of a changelog and its local store against a naive map: what is opened, touched, collected and removed is
// cut, lost or committed, swept, truncated, flushed in part, and restored, from a store or without.
import { describe, expect, test } from '@jest/globals';
import { ByteReader, ByteWriter, type Random, randomBytes, ReusedMemory, seededRandom } from '@flatline/base';
import { ChangelogFold, readBlock } from '@flatline/oracle';
import { groupOf, KEY_GROUP_MAX, type StoreCheckpoint, type StoredRow } from '@flatline/ports';
import { Checkpoints, type FlushSlice } from '../checkpoint/checkpoints.ts';
import { Restoration } from '../checkpoint/restoration.ts';
import { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import { applyBlock, bytes, findKey, insertKey, text, hold } from '../task.fixture.ts';
import { type CutHeader, decodeBlock, OP_BASED, OP_BIND, OP_REBIND, OP_REMOVE } from './block-format.ts';
import { BodyReader } from './body-reader.ts';
import { Changelog, type ChangelogCut } from './changelog.ts';
import { collecting, type CollectingWindow } from './collecting.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 10);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const STEPS = 250;
const KEYS = 7;
const LIMITS = { blockBytesMax: 2_000, changelogFactor: 4, unsweptLogBytes: 4_000 };
/** Ends of pages, and what lies around them; and more than a cut sweeps of what is so short: such a base comes in parts. */
const PAGE = PAGE_BYTES_MAX;
const LENGTHS = [0, 1, 40, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE + 9, 4 * PAGE, 6 * PAGE + 9];
const INPUT = { position: 0, checksum: 0, leaderEpoch: -2, batchTimestamp: 0, live: false, origin: 0 };

/** Entries by key: touched, shape, state. */
type Model = Map<string, readonly [number, number, string]>;

/** State that outlives a process. */
class Disk {
  readonly log: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
  /** State by the commits in the log. */
  committed: Model = new Map();
  header: CutHeader | undefined;
  end = 0;
  /** By slot, the offset of the block that the log says to be the base of what lives. */
  readonly bases = new Map<number, number>();
  rows = new Map<number, StoredRow>();
  checkpoint: StoreCheckpoint | undefined;
}

class Process {
  readonly table = new EntryTable(5, collecting);
  readonly changelog = new Changelog(this.table, LIMITS, new ReusedMemory(0));
  readonly checkpoints = new Checkpoints(this.table, this.changelog, () => 5_000);
  readonly restoration = new Restoration(this.table, this.changelog, this.checkpoints);
  readonly entry: CollectingWindow = this.table.view();
  readonly disk: Disk;
  readonly model: Model;
  /** By slot, the base of an entry restored from a store in which no row names that block: an older one stands for it (ADR 29). */
  readonly stoodIn = new Map<number, number>();
  clock = 1_000;
  #sequence = 0;
  #flush: Iterator<FlushSlice, undefined> | undefined;

  constructor(disk: Disk) {
    this.disk = disk;
    this.changelog.giveRowsTo(this.checkpoints);
    this.#restore();
    this.model = new Map(disk.committed);
    this.clock = disk.header?.clock ?? 1_000;
    this.#sequence = (disk.header?.sequence ?? -1) + 1;
    for (let slot = 0; slot < this.table.slotsEnd; slot += 1) if (!this.table.isLive(slot)) this.table.noteVacant(slot);
  }

  #restore(): void {
    const { disk, restoration } = this;
    if (disk.checkpoint !== undefined) {
      restoration.beginStored(disk.checkpoint);
      const rows = [...disk.rows.values()].sort((a, b) => a.slot - b.slot);
      for (let first = 0; first < rows.length; first += KEY_GROUP_MAX)
        restoration.loadStored(groupOf(rows.slice(first, first + KEY_GROUP_MAX)));
      while (!restoration.finishStored(3));
    }
    const from = disk.checkpoint?.changelogPosition ?? 0;
    for (const block of disk.log) if (block.offset >= from) applyBlock(restoration, block.bytes, block.offset);
    if (disk.header === undefined) return;
    expect(restoration.finish()).toBeUndefined();
    expect(this.state()).toEqual(disk.committed);
    for (const [slot, offset] of disk.bases) if (this.baseOf(slot) !== offset) this.#standIn(slot, offset);
  }

  /** The nearest of those that are known: of a block in which nothing has its base any more none may be, though a row names it. */
  #standIn(slot: number, offset: number): void {
    const { checkpoint, rows, bases } = this.disk;
    expect(offset).toBeLessThan(checkpoint?.changelogPosition ?? 0);
    const named = [...rows.values()].filter(({ changelogOffset }) => changelogOffset <= offset);
    const known = named.filter((row) => bases.get(row.slot) === row.changelogOffset);
    const standIn = this.baseOf(slot);
    expect(named.map(({ changelogOffset }) => changelogOffset)).toContain(standIn);
    expect(standIn).toBeGreaterThanOrEqual(Math.max(...known.map(({ changelogOffset }) => changelogOffset)));
    this.stoodIn.set(slot, offset);
  }

  /** Where it takes the base to be. */
  baseOf(slot: number): number {
    const { baseBlock } = this.entry.at(slot);
    return baseBlock < 0 ? Infinity : this.changelog.ledger.offsetOf(baseBlock);
  }

  state(): Model {
    const state: Model = new Map();
    for (let slot = 0; slot < this.table.slotsEnd; slot += 1) {
      if (!this.table.isLive(slot)) continue;
      const { touched, shape, collected } = this.entry.at(slot);
      state.set(text(this.table.keyOf(slot)), [touched, shape, Buffer.from(collected).toString('latin1')]);
    }
    return state;
  }

  /** Something happens to a key. */
  act(random: Random): void {
    this.clock += random.below(50);
    const key = `key-${random.below(KEYS)}`;
    if (this.model.has(key) && random.chance(0.2)) this.end(key);
    else this.beat(key, random);
  }

  beat(key: string, random: Random): void {
    const { table, entry } = this;
    const found = findKey(table, bytes(key));
    entry.at(found < 0 ? insertKey(table, bytes(key)) : found);
    if (found < 0) entry.shape = random.below(1e6);
    else if (random.chance(0.1)) {
      entry.shape += 1;
      table.reshaped.add(entry.slot);
    }
    entry.touched = this.clock;
    if (random.chance(0.5)) this.#collect(random);
    this.changelog.changed(entry);
    const { touched, shape, collected } = entry;
    this.model.set(key, [touched, shape, Buffer.from(collected).toString('latin1')]);
  }

  /** Makes the state of a key so many bytes, all of them new. */
  put(key: string, length: number): void {
    const { table, entry } = this;
    const found = findKey(table, bytes(key));
    entry.at(found < 0 ? insertKey(table, bytes(key)) : found);
    if (found < 0) entry.shape = 1;
    entry.touched = this.clock += 1;
    const { state, stateLength } = entry;
    state.splice(0, stateLength, new Uint8Array(length).fill(this.clock % 256), length);
    this.changelog.changed(entry);
    this.model.set(key, [entry.touched, entry.shape, Buffer.from(entry.collected).toString('latin1')]);
  }

  end(key: string): void {
    const slot = findKey(this.table, bytes(key));
    this.changelog.removed(this.entry.at(slot));
    this.table.remove(slot);
    this.model.delete(key);
  }

  inspect(): void {
    const { table, changelog, checkpoints, disk } = this;
    hold([
      ...table.inspect(changelog.uncutRemovals),
      ...changelog.inspect(true),
      ...checkpoints.inspect(disk.checkpoint === undefined ? undefined : disk.rows),
    ]);
  }

  commit(random: Random): void {
    const then = new Map(this.model);
    const cut = this.cut(random);
    this.settle(cut, this.append(cut, then));
  }

  #collect(random: Random): void {
    const { state, stateLength } = this.entry;
    const at = random.chance(0.5) ? stateLength : random.below(stateLength + 1);
    const wanted = random.chance(0.2) ? LENGTHS[random.below(LENGTHS.length)]! : stateLength + random.below(30);
    const removed = Math.min(stateLength - at, random.chance(0.5) ? 0 : random.below(stateLength - at + 1));
    const put = randomBytes(random, Math.max(0, wanted - stateLength + removed));
    const shorter = Math.max(0, stateLength - wanted);
    state.splice(at, Math.max(removed, Math.min(shorter, stateLength - at)), put, put.length);
  }

  cut(random: Random): ChangelogCut {
    const base = { clock: this.clock, position: 0 };
    if (random.chance(0.5)) while (!this.changelog.prepareCut(1 + random.below(3_000), base)) this.inspect();
    const sequence = this.#sequence;
    const previousCommitId = sequence === 0 ? '' : `c-${sequence - 1}`;
    const ids = { logId: 'log', owner: 'me', commitId: `c-${sequence}`, previousCommitId, sequence };
    return this.changelog.cut({ ...ids, inputPartitions: 1, inputs: [INPUT], clock: this.clock, heldMs: 0, holds: [] });
  }

  /** The cut's blocks have come to stand in the log, and with them what was true when it was made. */
  append(cut: ChangelogCut, then: Model): readonly number[] {
    const { disk } = this;
    const offsets = cut.blocks.map((_, part) => disk.end + part);
    disk.end += cut.blocks.length + 1;
    cut.blocks.forEach((block, part) => {
      const offset = offsets[part]!;
      disk.log.push({ bytes: block.bytes.slice(), offset });
      noteBases(disk.bases, block.bytes, offset);
    });
    // It never goes back (K3).
    expect(cut.header.floor).toBeGreaterThanOrEqual(disk.header?.floor ?? 0);
    disk.committed = then;
    disk.header = cut.header;
    return offsets;
  }

  settle(cut: ChangelogCut, offsets: readonly number[]): void {
    this.#sequence += 1;
    this.changelog.settle(cut, offsets);
    const { header, blocks, removed } = cut;
    const stored = { ...header, part: blocks.length - 1, parts: blocks.length };
    const slots = blocks.map((block) => block.slots);
    this.checkpoints.committed({ header: stored, stretches: [], slots, removed, offsets, bytes: cut.blockBytes });
  }

  /** One step of a flush. */
  flush(): void {
    this.#flush ??= this.checkpoints.flush(2);
    const slice = this.#flush?.next().value;
    if (slice === undefined) {
      this.#flush = undefined;
      return;
    }
    const { rows } = this.disk;
    for (const slot of slice.changes.removals) rows.delete(slot);
    for (const { slot, sequence, changelogOffset, bytes: from, ...at } of slice.changes.puts)
      rows.set(slot, {
        slot,
        sequence,
        changelogOffset,
        key: from.slice(at.keyStart, at.keyStart + at.keyLength),
        image: from.slice(at.imageStart, at.imageStart + at.imageLength),
      });
    this.disk.checkpoint = slice.checkpoint ?? this.disk.checkpoint;
  }
}

/** The same by the second reading, with bases at the floor of the last commit or above. */
function readAgain({ log, header, committed }: Disk): void {
  if (header === undefined) return;
  const fold = new ChangelogFold((head, touch, { clock }) => {
    const [before, after] = [new ByteReader(head), new ByteWriter(16)];
    before.varint();
    after.varint(clock - new ByteReader(touch).signedVarint());
    after.varint(before.varint());
    return after.copy();
  });
  for (const { bytes: block, offset } of log) {
    const read = readBlock(block);
    if (read.kind === 'state')
      for (const operation of read.operations) fold.apply(operation, { ...read.header, offset });
  }
  const state: Model = new Map();
  for (const { key, image, offset } of fold.images.values()) {
    const input = new ByteReader(image);
    state.set(text(key), [input.varint(), input.varint(), Buffer.from(image.slice(input.position)).toString('latin1')]);
    expect(offset).toBeGreaterThanOrEqual(header.floor);
  }
  expect(state).toEqual(committed);
  expect(fold.digest).toBe(header.digest);
}

/** Takes away what lies below the floor of the last commit, or less. */
function truncate({ log, header }: Disk, random: Random): number {
  const end = Math.floor((header?.floor ?? 0) * (random.chance(0.5) ? 1 : random.below(100) / 100));
  const kept = log.filter(({ offset }) => offset >= end);
  return log.splice(0, log.length, ...kept).length - kept.length;
}

interface Reached {
  truncated: number;
  crashes: number;
  withStore: number;
  /** Bases that came in parts; restarts that found one begun; and that began to read with one. */
  inParts: number;
  begun: number;
  fromParts: number;
  /** Bases for which older ones stand in the last store. */
  stoodIn: number;
}

function nothingReached(): Reached {
  return { truncated: 0, crashes: 0, withStore: 0, inParts: 0, begun: 0, fromParts: 0, stoodIn: 0 };
}

function noteBases(bases: Map<number, number>, block: Uint8Array, offset: number): void {
  for (const { slot, kind, at } of operationsIn(block)) {
    if (kind === OP_BIND) bases.set(slot, offset);
    if (kind === OP_BASED) bases.set(slot, at);
    if (kind === OP_REMOVE) bases.delete(slot);
  }
}

/** Notes how far the log covers bases that come in parts. */
function noteParts({ log }: Disk, reached: Reached): void {
  const [known, begun, behind] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let fromParts = 0;
  for (const { bytes: block } of log)
    for (const { slot, kind } of operationsIn(block)) {
      if (kind === OP_REBIND) begun.add(slot);
      if (kind === OP_REBIND && !known.has(slot)) behind.add(slot);
      if (kind === OP_BIND || kind === OP_REBIND) known.add(slot);
      if (kind === OP_BASED) fromParts += Number(behind.has(slot));
      if (kind === OP_BASED || kind === OP_BIND || kind === OP_REMOVE)
        for (const set of [begun, behind]) set.delete(slot);
      if (kind === OP_REMOVE) known.delete(slot);
    }
  reached.begun += Number(begun.size > 0);
  reached.fromParts += Number(fromParts > 0);
}

interface Operation {
  readonly slot: number;
  readonly kind: number;
  readonly at: number;
}

function operationsIn(block: Uint8Array): Operation[] {
  const decoded = decodeBlock(block);
  if (decoded.kind !== 'state') throw new Error('it is a commit');
  const body = new BodyReader(block, decoded.bodyStart);
  const { group } = body;
  const operations: Operation[] = [];
  while (body.next())
    for (let i = 0; i < group.count; i += 1)
      operations.push({ slot: group.slots[i]!, kind: group.kinds[i]!, at: group.ats[i]! });
  return operations;
}

function live(seed: number, reached: Reached): void {
  const random = seededRandom(seed);
  const disk = new Disk();
  let process = new Process(disk);
  // Where the store lags, a base may come in parts before its checkpoint and behind it.
  const slicesMax = random.chance(0.5) ? 6 : 2;
  const restart = (): void => {
    reached.crashes += 1;
    noteParts(disk, reached);
    // A store behind the log's beginning is dropped (R2).
    const isBehind = (disk.checkpoint?.changelogPosition ?? 0) < (disk.log[0]?.offset ?? 0);
    if (isBehind || random.chance(0.3)) {
      disk.rows.clear();
      disk.checkpoint = undefined;
    } else if (disk.checkpoint !== undefined) reached.withStore += 1;
    process = new Process(disk);
    readFromElsewhere(disk, random);
  };
  for (let step = 0; step < STEPS; step += 1) {
    for (let acts = random.below(12); acts > 0; acts -= 1) process.act(random);
    process.inspect();
    const then = new Map(process.model);
    const cut = process.cut(random);
    process.inspect();
    for (let acts = random.below(4); acts > 0; acts -= 1) process.act(random);
    for (let slices = random.below(4); slices > 0; slices -= 1) process.flush();
    process.inspect();
    if (random.chance(0.04)) {
      restart();
      continue;
    }
    const offsets = process.append(cut, then);
    for (const block of cut.blocks)
      reached.inParts += operationsIn(block.bytes).filter(({ kind }) => kind === OP_BASED).length;
    if (random.chance(0.04)) {
      restart();
      continue;
    }
    process.settle(cut, offsets);
    process.inspect();
    if (random.chance(0.2)) reached.truncated += truncate(disk, random);
    for (let slices = random.below(slicesMax); slices > 0; slices -= 1) process.flush();
  }
  restart();
  readAgain(disk);
  finishFlush(process, random);
  // Without a commit since, all is as the store has it: what its writer knew.
  const stored = new Process(disk);
  for (const [slot, offset] of disk.bases) {
    const isExact = process.stoodIn.get(slot) !== offset;
    expect(stored.baseOf(slot)).toBe(isExact ? offset : process.baseOf(slot));
    reached.stoodIn += Number(!isExact);
  }
}

/** Whoever reads from the floor, or from anywhere below, comes to the same. */
function readFromElsewhere({ log, header, committed }: Disk, random: Random): void {
  const starts = log.filter(({ offset }) => offset <= (header?.floor ?? -1));
  if (starts.length === 0) return;
  const from = starts[random.below(starts.length)]!.offset;
  const reader = new Disk();
  reader.log.push(...log.filter(({ offset }) => offset >= from));
  reader.header = header;
  reader.committed = committed;
  expect(new Process(reader).state()).toEqual(committed);
}

/** Writes all that is committed to the store. */
function finishFlush(process: Process, random: Random): void {
  process.commit(random);
  const { disk } = process;
  const end = disk.end;
  for (let slices = 0; (disk.checkpoint?.changelogPosition ?? 0) < end - 1; slices += 1) {
    expect(slices).toBeLessThan(1_000);
    process.flush();
  }
}

const OTHERS = ['a', 'b', 'c'];

function withLongOne(random: Random): Process {
  const process = new Process(new Disk());
  process.put('long', 6 * PAGE);
  process.commit(random);
  return process;
}

/** The head of the long one's base lies before the store's checkpoint, and the word that it is the base behind it. */
function withPartsBehindStore(random: Random): Process {
  const process = withLongOne(random);
  const { disk } = process;
  until(process, random, () => said(disk, OP_REBIND));
  flushed(process);
  expect(said(disk, OP_BASED)).toBe(false);
  until(process, random, () => said(disk, OP_BASED));
  return process;
}

function rewritten(process: Process): void {
  for (const key of OTHERS) process.put(key, 4_000);
}

/** Their bases come to lie in the next commit. */
function renewed(process: Process): void {
  for (const key of OTHERS) {
    process.end(key);
    process.put(key, 10);
  }
  rewritten(process);
}

function flushed(process: Process): void {
  for (let slices = 0; process.disk.checkpoint === undefined; slices += 1) process.flush();
}

function said({ log }: Disk, kind: number): boolean {
  return log.some(({ bytes: block }) => operationsIn(block).some((each) => each.kind === kind));
}

function until(process: Process, random: Random, done: () => boolean, act = rewritten): void {
  for (let commits = 0; !done(); commits += 1) {
    expect(commits).toBeLessThan(500);
    act(process);
    process.commit(random);
  }
}

describe('the changelog by slot', () => {
  test(`[K1][K3][K5][K6][R1] makes a naive map again after every crash (${SEEDS} seeds)`, () => {
    const reached = nothingReached();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1)
      try {
        live(seed, reached);
      } catch (error) {
        (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
        throw error;
      }
    // The test would prove little otherwise.
    expect(reached.truncated).toBeGreaterThan(SEEDS * 20);
    expect(reached.withStore).toBeGreaterThan(SEEDS * 5);
    expect(reached.inParts).toBeGreaterThan(SEEDS * 2);
    expect(reached.begun).toBeGreaterThan(SEEDS / 2);
    expect(reached.fromParts).toBeGreaterThan(SEEDS / 10);
  });

  test('[K3][K6] a block that a removal has left without a base stands for none', () => {
    expect(() => {
      live(53_887_497, nothingReached());
    }).not.toThrow();
  });

  test('[K3][K6] a row is as of a commit whose base began behind the store, in parts: it has that base', () => {
    const random = seededRandom(1);
    const process = withLongOne(random);
    const { disk } = process;
    flushed(process);
    until(process, random, () => said(disk, OP_REBIND));
    // Every other base comes to lie behind it: nothing but the row keeps the block of its head known until that is said to be the base.
    until(process, random, () => said(disk, OP_BASED), renewed);
    for (let slices = 0; disk.rows.get(0)?.changelogOffset !== disk.bases.get(0); slices += 1) {
      expect(slices).toBeLessThan(100);
      process.flush();
    }
    expect(disk.checkpoint!.changelogPosition).toBeLessThan(disk.bases.get(0)!);
    expect(new Process(disk).stoodIn.size).toBe(0);
  });

  test('[K3][K6] a base in a block that no row names: an older one stands for it, and in the next store, too', () => {
    const random = seededRandom(1);
    const process = withPartsBehindStore(random);
    const { disk } = process;
    const again = new Process(disk);
    expect([...again.stoodIn]).toEqual([...disk.bases].filter(([slot]) => slot === 0));
    finishFlush(again, random);
    expect(new Process(disk).baseOf(0)).toBe(again.baseOf(0));
  });

  test('[K3][K6] a base that moves behind the store to a block that no row names: the floor does not go back', () => {
    const random = seededRandom(1);
    const process = withPartsBehindStore(random);
    const { disk } = process;
    renewed(process);
    for (let commits = 0; commits < 3; commits += 1) process.commit(random);
    expect(disk.header!.floor).toBe(disk.bases.get(0));
    const again = new Process(disk);
    for (let commits = 0; commits < 3; commits += 1) again.commit(random);
  });

  test.each([
    ['another key', ['b']],
    ['the same key, in another slot', ['b', 'a']],
    ['nothing', []],
  ])('[K6] ADR 5: a flush cut short of a slot that has gone to %s', (_what, next) => {
    for (let slices = 0; slices < 8; slices += 1) {
      const random = seededRandom(slices);
      const disk = new Disk();
      const process = new Process(disk);
      process.beat('a', random);
      process.commit(random);
      while (disk.checkpoint === undefined) process.flush();
      process.end('a');
      process.commit(random);
      for (const key of next) {
        process.beat(key, random);
        process.commit(random);
      }
      for (let i = 0; i < slices; i += 1) process.flush();
      // A process compares the state that it restores with what was committed.
      expect([...new Process(disk).state().keys()].sort()).toEqual([...next].sort());
    }
  });
});
