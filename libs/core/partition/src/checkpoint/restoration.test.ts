import { AssertionError } from '@flatline/base';
import { groupOf, type RowPlace, type StoreCheckpoint, type StoredRow } from '@flatline/ports';
import { expect, test } from '@jest/globals';
import { NO_BATCH } from '../changelog/block-format.ts';
import { PartitionTask } from '../partition-task.ts';
import type { FlushSlice } from './checkpoints.ts';
import { Restoration } from './restoration.ts';
import { applyBlock, begin, ListCursor, options } from '../task.fixture.ts';

/** More than fit a group of keys that is looked ahead at. */
const KEYS = 300;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const COMMITS = 2_000;

test('[K3][K6][X6] a changelog that is read on and on is known from the floor, as the task that writes it knows it', () => {
  const owner = new PartitionTask(options());
  const standby = new PartitionTask(options({ hashSeed: 99 }));
  const restoration = new Restoration(standby.table, standby.changelog, standby.checkpoints);
  begin(owner, 0, START);
  for (let n = 1; n <= COMMITS; n += 1) {
    const record = { offset: n, timestamp: 1_000 + n * 10, key: `k${n % 7}`, value: '' };
    owner.step(new ListCursor([record]), 1, 0);
    while (owner.expire(100, 0));
    const ids = { commitId: String(n), previousCommitId: String(n - 1), sequence: n };
    const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    const offsets = cut.blocks.map((_, part) => n * 10 + part);
    cut.blocks.forEach((block, part) => applyBlock(restoration, block.bytes.slice(), offsets[part]!));
    owner.settle(cut, offsets);
    standby.checkpoints.discard();
  }
  const { logBytes } = standby.changelog;
  // A running task forgets at its next cut.
  owner.changelog.ledger.floor();
  expect(logBytes).toBe(owner.changelog.logBytes);
  expect(logBytes).toBeLessThan(COMMITS * 10);
  expect(restoration.finish()).toBeUndefined();
});

test('[K1][R1] commits in which many keys end, come back and go on are restored as they were', () => {
  const owner = new PartitionTask(options());
  const restored = new PartitionTask(options({ hashSeed: 99 }));
  const restoration = new Restoration(restored.table, restored.changelog, restored.checkpoints);
  begin(owner, 0, START);
  const seen = { removals: 0, images: 0 };
  for (let n = 1; n <= 30; n += 1) {
    // Every third commit comes after all have fallen silent; of the others, each key beats in two of three.
    const now = n * 400 + Math.floor(n / 3) * 5_000;
    const records = Array.from({ length: KEYS }, (_, i) => ({
      offset: n * KEYS + i,
      timestamp: now,
      key: `key-${(i * 7 + n) % KEYS}`,
      value: i % 3 === n % 3 ? null : '',
    }));
    owner.step(new ListCursor(records), KEYS, 0);
    while (owner.expire(100, 0));
    const ids = { commitId: String(n), previousCommitId: n === 1 ? '' : String(n - 1), sequence: n - 1 };
    const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    const offsets = cut.blocks.map((_, part) => n * 1_000 + part);
    cut.blocks.forEach((block, part) => applyBlock(restoration, block.bytes.slice(), offsets[part]!));
    owner.settle(cut, offsets);
    seen.removals += cut.removed.length;
    seen.images += cut.blocks.reduce((sum, { slots }) => sum + slots.length, 0);
    expect(restored.liveEntries).toBe(owner.liveEntries);
    expect(restoration.finish()).toBeUndefined();
    expect(restored.changelog.digest).toBe(owner.changelog.digest);
    expect(restored.changelog.liveBytes).toBe(owner.changelog.liveBytes);
  }
  expect(seen.removals).toBeGreaterThan(10 * KEYS);
  expect(seen.images).toBeGreaterThan(10 * KEYS);
});

test('[K6][R1] a commit applied block by block is what it is at once, and the next is not read before', () => {
  const owner = new PartitionTask(options());
  const [atOnce, sliced] = [new PartitionTask(options()), new PartitionTask(options())];
  const [whole, stepwise] = [atOnce, sliced].map(
    (task) => new Restoration(task.table, task.changelog, task.checkpoints),
  );
  begin(owner, 0, START);
  for (let n = 0; n < 3; n += 1) {
    const records = Array.from({ length: KEYS }, (_, i) => ({
      offset: n * KEYS + i,
      timestamp: 1_000 + n,
      key: `key-${i}`,
      value: n === 2 && i % 2 === 0 ? null : '',
    }));
    owner.step(new ListCursor(records), KEYS, 0);
    const ids = { commitId: String(n), previousCommitId: String(n - 1), sequence: n };
    const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    expect(cut.blocks.length).toBeGreaterThan(1);
    const offsets = cut.blocks.map((_, part) => n * 1_000 + part);
    const steps = cut.blocks.map(({ bytes }, part) => stepwise!.take(bytes.slice(), offsets[part]!).kind);
    expect(steps).toEqual([...cut.blocks.slice(1).map(() => 'part'), 'commit']);
    for (const { bytes } of cut.blocks) {
      expect(() => stepwise!.take(bytes, n * 1_000 + 999)).toThrow(AssertionError);
      expect(stepwise!.last?.sequence).toBe(n === 0 ? undefined : n - 1);
      expect(stepwise!.applyNext()).toBe(bytes.length);
    }
    expect(stepwise!.applyNext()).toBe(0);
    cut.blocks.forEach((block, part) => applyBlock(whole!, block.bytes.slice(), offsets[part]!));
    expect(stepwise!.last).toEqual(whole!.last);
    expect(sliced.liveEntries).toBe(atOnce.liveEntries);
    expect(sliced.checkpoints.waitingBytes).toBe(atOnce.checkpoints.waitingBytes);
    expect(stepwise!.finish()).toBeUndefined();
    owner.settle(cut, offsets);
  }
});

test('[K6] CK2 while a commit that was read is half applied, nothing of the state is written to the store', () => {
  const owner = new PartitionTask(options());
  const standby = new PartitionTask(options());
  const restoration = new Restoration(standby.table, standby.changelog, standby.checkpoints);
  begin(owner, 0, START);
  for (let n = 0; n < 2; n += 1) {
    const keys = Array.from({ length: KEYS }, (_, i) => ({
      offset: n * KEYS + i,
      timestamp: 1_000,
      key: `key-${i}`,
      value: '',
    }));
    owner.step(new ListCursor(keys), KEYS, 0);
    const ids = { commitId: String(n), previousCommitId: String(n - 1), sequence: n };
    const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    const offsets = cut.blocks.map((_, part) => n * 1_000 + part);
    cut.blocks.forEach(({ bytes }, part) => restoration.take(bytes.slice(), offsets[part]!));
    restoration.applyNext();
    const slice = standby.checkpoints.flush(KEYS)?.next().value;
    expect(slice).toEqual(
      n === 0 ? undefined : { changes: { puts: [], removals: [] }, checkpoint: undefined, waits: true },
    );
    while (restoration.applyNext() > 0);
    owner.settle(cut, offsets);
  }
  expect(standby.checkpoints.flush(KEYS)!.next().value?.changes.puts).toHaveLength(KEYS);
});

test('[K3][R3] a commit whose floor lies above it follows what an election took from the log, and is not believed', () => {
  const owner = new PartitionTask(options());
  begin(owner, 0, START);
  const commit = (n: number): Uint8Array => {
    owner.step(new ListCursor([{ offset: n, timestamp: 1_000 + n, key: 'k', value: '' }]), 1, 0);
    const ids = { commitId: String(n), previousCommitId: n === 1 ? '' : String(n - 1), sequence: n - 1 };
    const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    const bytes = cut.blocks[0]!.bytes.slice();
    owner.settle(cut, [n * 10]);
    return bytes;
  };
  const [first, second] = [commit(1), commit(2)];
  const heir = (): Restoration => {
    const task = new PartitionTask(options());
    return new Restoration(task.table, task.changelog, task.checkpoints);
  };
  const right = heir();
  applyBlock(right, first, 10);
  applyBlock(right, second, 20);
  expect(right.last?.floor).toBe(10);
  // Written after an election that left nothing below: it is the log's first record now.
  expect(() => heir().take(second, 0)).toThrow('its floor is 10');
});

test.each([
  ['of an entry that has changed', ''],
  ['that has gone with its entry', null],
])(
  '[Q1][K6] rows of the local store ahead of its checkpoint, one %s: whole once the log is read that far',
  (_, value) => {
    const owner = new PartitionTask(options());
    begin(owner, 0, START);
    const blocks: Uint8Array[] = [];
    const commit = (n: number, records: readonly { readonly key: string; readonly value: string | null }[]): void => {
      owner.step(
        new ListCursor(records.map((each, i) => ({ ...each, offset: 10 * n + i, timestamp: 1_000 + n }))),
        10,
        0,
      );
      const ids = { commitId: String(n), previousCommitId: n === 0 ? '' : String(n - 1), sequence: n };
      const cut = owner.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
      blocks.push(...cut.blocks.map((block) => block.bytes.slice()));
      owner.settle(cut, [n]);
    };
    const rows = new Map<number, StoredRow>();
    let checkpoint: StoreCheckpoint | undefined;
    const flush = (): void => {
      for (const slice of flushed(owner)) {
        for (const place of slice.changes.puts) rows.set(place.slot, rowAt(place));
        for (const slot of slice.changes.removals) rows.delete(slot);
        // The process ends before its second one.
        checkpoint ??= slice.checkpoint;
      }
    };
    commit(
      0,
      ['a', 'b', 'c'].map((key) => ({ key, value: '' })),
    );
    flush();
    commit(1, [{ key: 'a', value: '' }]);
    commit(2, [{ key: 'b', value }]);
    flush();
    const restored = new PartitionTask(options({ hashSeed: 99 }));
    const restoration = new Restoration(restored.table, restored.changelog, restored.checkpoints);
    restoration.beginStored(checkpoint!);
    restoration.loadStored(groupOf([...rows.values()].sort((one, other) => one.slot - other.slot)));
    expect(restoration.finishStored(KEYS)).toBe(true);
    const wholeAfter = [restoration.isWhole];
    for (const n of [1, 2]) {
      applyBlock(restoration, blocks[n]!, n);
      wholeAfter.push(restoration.isWhole);
    }
    expect(wholeAfter).toEqual([false, false, true]);
    expect(restoration.finish()).toBeUndefined();
  },
);

function* flushed(task: PartitionTask): Generator<FlushSlice> {
  const slices = task.checkpoints.flush(KEYS)!;
  for (let next = slices.next(); next.done !== true; next = slices.next()) yield next.value;
}

function rowAt({ bytes, keyStart, keyLength, imageStart, imageLength, ...row }: RowPlace): StoredRow {
  const key = bytes.slice(keyStart, keyStart + keyLength);
  return { ...row, key, image: bytes.slice(imageStart, imageStart + imageLength) };
}
