// Bases of many megabytes: how much of them a cut writes, and what a reader makes of it.
import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import { Checkpoints } from '../checkpoint/checkpoints.ts';
import { Restoration } from '../checkpoint/restoration.ts';
import { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import { applyBlock, bytes, findKey, insertKey } from '../task.fixture.ts';
import { decodeBlock, OP_BASED } from './block-format.ts';
import { BodyReader } from './body-reader.ts';
import { Changelog } from './changelog.ts';
import { collecting, type CollectingWindow } from './collecting.fixture.ts';

const MB = 1024 * 1024;
const LONG = 48;
const FACTOR = 4;
const OTHERS = Array.from({ length: 128 }, (_, i) => `other-${i}`);
/** Keys for which a sweep has a share that does not hold a megabyte. */
const FEW = OTHERS.slice(0, 24);
const LIMITS = { blockBytesMax: 256 * 1024, changelogFactor: FACTOR, unsweptLogBytes: MB };
/** Heads, touches and headers of a commit: all bytes written of so few entries beside their states. */
const NUMBERS_BYTES = 32 * 1024;

interface LoggedBlock {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

function saysBase(block: Uint8Array): boolean {
  const decoded = decodeBlock(block);
  if (decoded.kind !== 'state') return false;
  const body = new BodyReader(block, decoded.bodyStart);
  let isSaid = false;
  while (body.next()) isSaid ||= body.group.kinds.subarray(0, body.group.count).includes(OP_BASED);
  return isSaid;
}

class Log {
  readonly #table = new EntryTable(5, collecting);
  readonly #entry: CollectingWindow = this.#table.view();
  readonly changelog = new Changelog(this.#table, LIMITS, new ReusedMemory(0));
  readonly checkpoints = new Checkpoints(this.#table, this.changelog, () => 1e9);
  #commits = 0;
  #blocks = 0;
  floor = 0;
  /** Blocks above the floor of the last commit. `gone`: those below it, if they are wanted. */
  kept: LoggedBlock[] = [];
  readonly gone: LoggedBlock[] | undefined;
  /** Bytes of states that changed since the last commit, and the most that one commit has written beyond three times those. */
  #changed = 0;
  mostBeyond = 0;

  constructor(keeps: 'all' | 'what is above the floor' = 'what is above the floor') {
    this.gone = keeps === 'all' ? [] : undefined;
    if (keeps !== 'all') this.checkpoints.discard();
    this.changelog.giveRowsTo(this.checkpoints);
  }

  /** Puts so many bytes behind the state of a key, or has it be these. */
  write(key: string, length: number, replaces = false): void {
    const found = findKey(this.#table, bytes(key));
    const entry = this.#entry.at(found < 0 ? insertKey(this.#table, bytes(key)) : found);
    if (found < 0) entry.shape = 1;
    entry.touched = this.#commits;
    const content = new Uint8Array(length).fill(this.#commits % 251);
    const { state, stateLength } = entry;
    state.splice(replaces ? 0 : stateLength, replaces ? stateLength : 0, content, length);
    this.changelog.changed(entry);
    this.#changed += length;
  }

  /** Says more of the head than a touch does. */
  reshape(key: string): void {
    const entry = this.#entry.at(findKey(this.#table, bytes(key)));
    entry.shape += 1;
    this.#table.reshaped.add(entry.slot);
    this.changelog.changed(entry);
  }

  /** Returns the bytes of its blocks. */
  commit(): number {
    const n = this.#commits;
    const ids = {
      logId: 'l',
      owner: 'o',
      commitId: `c${n}`,
      previousCommitId: n === 0 ? '' : `c${n - 1}`,
      sequence: n,
    };
    const at = { inputPartitions: 1, inputs: [], clock: n, heldMs: 0, holds: [] };
    const cut = this.changelog.cut({ ...ids, ...at });
    const offsets = cut.blocks.map((_, part) => this.#blocks + part);
    this.#blocks += cut.blocks.length + 1;
    this.#commits += 1;
    this.floor = cut.header.floor;
    cut.blocks.forEach((block, part) => this.kept.push({ bytes: block.bytes.slice(), offset: offsets[part]! }));
    this.gone?.push(...this.kept.filter(({ offset }) => offset < this.floor));
    this.kept = this.kept.filter(({ offset }) => offset >= this.floor);
    this.changelog.settle(cut, offsets);
    const parts = cut.blocks.length;
    this.checkpoints.committed({
      header: { ...cut.header, part: parts - 1, parts },
      stretches: [],
      slots: cut.blocks.map(({ slots }) => slots),
      removed: cut.removed,
      offsets,
      bytes: cut.blockBytes,
    });
    this.mostBeyond = Math.max(this.mostBeyond, cut.blockBytes - 3 * this.#changed);
    this.#changed = 0;
    return cut.blockBytes;
  }

  /** Restores from `blocks`: returns why they are refused, if so, and the number of entries. */
  restored(blocks = this.kept): readonly [why: string | undefined, entries: number] {
    const table = new EntryTable(9, collecting);
    const changelog = new Changelog(table, LIMITS, new ReusedMemory(0));
    const checkpoints = new Checkpoints(table, changelog, () => 0);
    const restoration = new Restoration(table, changelog, checkpoints);
    for (const block of blocks) applyBlock(restoration, block.bytes, block.offset);
    return [restoration.finish(), table.size];
  }
}

/** A long state and others, which change until the floor has passed the long one's base. */
function swept(alsoLong: (log: Log) => void): Log {
  const log = new Log();
  for (let i = 0; i < LONG; i += 1) {
    log.write('long', MB);
    log.commit();
  }
  const { floor } = log;
  log.mostBeyond = 0;
  for (let commits = 0; log.floor <= floor + LONG; commits += 1) {
    expect(commits).toBeLessThan(2_000);
    for (const other of OTHERS) if (commits % 2 === 0 || other.endsWith('7')) log.write(other, 8_000, true);
    alsoLong(log);
    log.commit();
    expect(log.changelog.logBytes).toBeLessThanOrEqual(FACTOR * log.changelog.liveBytes);
  }
  return log;
}

describe('a base of 48 MiB', () => {
  const grow = (log: Log): void => {
    log.write('long', 100);
  };
  const reshape = (log: Log): void => {
    log.reshape('long');
  };

  test.each([
    ['that does not change', () => undefined],
    ['that grows with each commit', grow],
    ['of which more than a touch changes', reshape],
  ])('[K8][X6] CL6 %s is swept in parts: beyond what changed a cut writes its share and a page', (_what, alsoLong) => {
    const log = swept(alsoLong);
    expect(log.mostBeyond).toBeLessThanOrEqual(PAGE_BYTES_MAX + NUMBERS_BYTES);
    expect(log.restored()).toEqual([undefined, OTHERS.length + 1]);
  });

  test('[K3][K5] whoever reads from the floor, or from anywhere below, comes to the same state', () => {
    const log = new Log('all');
    log.write('long', MB);
    log.commit();
    // Each is swept over some ten commits.
    for (let commits = 0; commits < 300; commits += 1) {
      for (const other of FEW) log.write(other, 2_000, true);
      log.write('long', 10);
      if (commits % 3 === 0) log.reshape('long');
      log.commit();
    }
    const all = [...log.gone!, ...log.kept];
    expect(log.gone!.length).toBeGreaterThan(100);
    for (let first = 0; first <= log.gone!.length; first += 1)
      expect(log.restored(all.slice(first))).toEqual([undefined, FEW.length + 1]);
  });

  test('[K4] a row that is taken with the commit that says the base is written again, with the base', () => {
    const log = new Log('all');
    log.write('long', MB);
    log.commit();
    const rows = new Map<number, number>();
    let flush = log.checkpoints.flush(1_000);
    const write = (): void => {
      const slice = flush?.next();
      if (slice === undefined || slice.done === true) flush = log.checkpoints.flush(1_000);
      else for (const { slot, changelogOffset } of slice.value.changes.puts) rows.set(slot, changelogOffset);
    };
    for (let isSaid = false; !isSaid;) {
      for (const other of FEW) log.write(other, 8_000, true);
      log.write('long', 10);
      // The flush comes to wait for the entry, which the next cut writes.
      for (let slices = 0; slices < 8; slices += 1) write();
      const before = log.kept.length;
      log.commit();
      isSaid = log.kept.slice(before).some(({ bytes: block }) => saysBase(block));
    }
    log.commit();
    for (let slices = 0; slices < 400; slices += 1) write();
    expect(log.floor).toBeGreaterThan(0);
    expect(Math.min(...rows.values())).toBeGreaterThanOrEqual(log.floor);
  });

  test('[K8][X6] a head that says more than a touch costs no state', () => {
    const log = new Log();
    log.write('long', 4 * MB);
    log.commit();
    log.reshape('long');
    expect(log.commit()).toBeLessThan(NUMBERS_BYTES);
    expect(log.restored()).toEqual([undefined, 1]);
  });
});

test.each([MB, 4 * MB, 5 * MB])(
  '[K8] CL6 a long base comes with a change of all of its bytes, to %d of them',
  (length) => {
    const log = new Log();
    log.write('long', 4 * MB);
    log.commit();
    const { floor } = log;
    log.write('long', length, true);
    expect(log.commit()).toBeLessThan(length + NUMBERS_BYTES);
    log.commit();
    expect(log.floor).toBeGreaterThan(floor);
    expect(log.restored()).toEqual([undefined, 1]);
  },
);
