import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type FlushSlice, NO_BATCH, PartitionTask, type TaskCut } from '../index.ts';
import type { ImagePlace } from '@flatline/ports';
import type { OrderBounds } from '../entries/key-order.ts';
import { begin, ListCursor, options, text } from '../task.fixture.ts';

const WALL = 9e12;

/** A task whose commits are settled one after another, each block at the next offset. */
class Committing {
  readonly task = new PartitionTask(options());
  #offset = 0;
  #position = 0;
  #sequence = 0;

  constructor() {
    begin(this.task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  }

  /** Beats of the keys; a key that begins with `-` ends. */
  beat(...keys: readonly string[]): this {
    const records = keys.map((key) => {
      const ends = key.startsWith('-');
      return { offset: this.#position++, timestamp: 1, key: ends ? key.slice(1) : key, value: ends ? null : '' };
    });
    this.task.step(new ListCursor(records), 1e6, WALL);
    return this;
  }

  cut(): TaskCut {
    this.#sequence += 1;
    const commitId = `run-${this.#sequence}`;
    return this.task.cut({
      logId: 'log',
      owner: 'me',
      commitId,
      sequence: this.#sequence,
      previousCommitId: '',
      inputPartitions: 1,
    });
  }

  commit(...keys: readonly string[]): this {
    this.beat(...keys);
    const cut = this.cut();
    this.task.settle(
      cut,
      cut.blocks.map(() => this.#offset++),
    );
    return this;
  }

  flush(limit: number, sorting?: OrderBounds): FlushSlice[] {
    const slices: FlushSlice[] = [];
    const flush = this.task.checkpoints.flush(limit, sorting)!;
    for (let next = flush.next(); next.done !== true; next = flush.next()) slices.push(copyOf(next.value));
    return slices;
  }
}

/** As a store does: the memory of what it is shown is used again after the flush. */
function copyOf({ changes: { puts, removals }, checkpoint }: FlushSlice): FlushSlice {
  const copies = puts.map((put) => ({ ...put, bytes: put.bytes.slice() }));
  return { changes: { puts: copies, removals }, checkpoint };
}

function keyOf({ bytes, keyStart, keyLength }: ImagePlace): string {
  return text(bytes.subarray(keyStart, keyStart + keyLength));
}

function putsOf(slices: readonly FlushSlice[]): string[] {
  return slices.flatMap(({ changes }) => changes.puts.map((put) => `${keyOf(put)}@${put.changelogOffset}`));
}

function removalsOf(slices: readonly FlushSlice[]): string[] {
  return slices.flatMap(({ changes }) => changes.removals.map(text));
}

describe('a flush', () => {
  test('CQ1 writes of each key its newest image only', () => {
    const slices = new Committing().commit('a', 'b').commit('b').commit('c').flush(100);
    expect(putsOf(slices)).toEqual(['a@0', 'b@1', 'c@2']);
  });

  test('CQ1 leaves out what a later commit of the same flush removes', () => {
    const slices = new Committing().commit('a', 'b').commit('-a').flush(100);
    expect(putsOf(slices)).toEqual(['b@0']);
    expect(removalsOf(slices)).toEqual(['a']);
  });

  test('CQ1 a key that ended and came back is there with its new image', () => {
    const slices = new Committing().commit('a').commit('-a').commit('a').flush(100);
    expect(removalsOf(slices)).toEqual(['a']);
    expect(putsOf(slices)).toEqual(['a@2']);
  });

  test('CQ1 an image whose key is gone from the table is written while its removal is not committed', () => {
    const slices = new Committing().commit('a', 'b').beat('-a').flush(100);
    expect(putsOf(slices)).toEqual(['a@0', 'b@0']);
    expect(removalsOf(slices)).toEqual([]);
  });

  test('CQ1 an image is written though another key has taken its slot since the flush began', () => {
    const committing = new Committing().commit('a');
    const flush = committing.task.checkpoints.flush(100)!;
    committing.commit('-a').commit('b');
    expect(committing.task.table.slotsEnd).toBe(1);
    const { value } = flush.next();
    expect(value!.changes.puts.map(keyOf)).toEqual(['a']);
  });

  test('CQ1 an image is left out where a commit since the flush began has a newer one', () => {
    const committing = new Committing().commit('a', 'b');
    const flush = committing.task.checkpoints.flush(100)!;
    committing.commit('a');
    const { value } = flush.next();
    expect(value!.changes.puts.map(keyOf)).toEqual(['b']);
  });

  test('the checkpoint comes with the last slice, and slices hold no more than the limit', () => {
    const keys = Array.from({ length: 25 }, (_, i) => `key-${i}`);
    const committing = new Committing().commit(...keys).commit(...keys.slice(0, 12).map((key) => `-${key}`));
    const slices = committing.flush(5);
    expect(slices.map(({ changes }) => changes.puts.length + changes.removals.length)).toEqual([5, 5, 2, 5, 5, 3]);
    expect(slices.map(({ checkpoint }) => checkpoint?.changelogPosition)).toEqual([...Array<undefined>(5), 2]);
    expect(slices.at(-1)!.checkpoint!.liveEntries).toBe(13);
  });

  test('a commit without changes moves the checkpoint on', () => {
    const slices = new Committing().commit().flush(5);
    expect(slices).toHaveLength(1);
    expect(slices[0]!.checkpoint!.changelogPosition).toBe(1);
  });

  test('removals come in the order of their keys', () => {
    const keys = ['key-3', 'key-10', 'key-2', 'key-1'];
    const slices = new Committing()
      .commit(...keys)
      .commit(...keys.map((key) => `-${key}`))
      .flush(3);
    expect(removalsOf(slices)).toEqual(keys.toSorted());
  });

  test('images come in the order of their keys, what these have in common aside', () => {
    const keys = ['tenant-1/b', 'tenant-1/aaaa', 'tenant-1/ab', 'tenant-1/', 'tenant-1/a'];
    expect(putsOf(new Committing().commit(...keys).flush(2))).toEqual(keys.toSorted().map((key) => `${key}@0`));
  });
});

/** Commits of some keys each, a third of them ends; between them, flushes. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.tuple(fc.nat(40), fc.nat(2)), { minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constant('flush' as const) },
);
const sorting = fc.record({ window: fc.integer({ min: 1, max: 20 }), run: fc.integer({ min: 1, max: 9 }) });

test('CQ1 however many windows and runs a flush takes, the store then holds what the last commit says', () => {
  // A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), sorting, fc.integer({ min: 1, max: 7 }), (steps, bounds, limit) => {
      const committing = new Committing();
      const [model, store] = [new Map<string, number>(), new Map<string, number>()];
      let offset = 0;
      for (const each of [...steps, 'flush' as const]) {
        if (each === 'flush') {
          if (offset > 0 && committing.task.checkpoints.pendingBytes > 0) apply(committing.flush(limit, bounds), store);
          continue;
        }
        // A key twice in a commit would be its last word: here each comes once.
        const words = new Map(each.map(([key, kind]) => [`key-${key}`, kind]));
        committing.commit(...[...words].map(([key, kind]) => (kind === 0 ? `-${key}` : key)));
        for (const [key, kind] of words) {
          if (kind === 0) model.delete(key);
          else model.set(key, offset);
        }
        offset += 1;
      }
      expect(store).toEqual(model);
    }),
  );
});

/** What a store makes of them: of each key the changelog offset of its image. */
function apply(slices: readonly FlushSlice[], store: Map<string, number>): void {
  for (const { changes } of slices) {
    for (const key of changes.removals) store.delete(text(key));
    for (const put of changes.puts) store.set(keyOf(put), put.changelogOffset);
  }
}

test('[F18] after a mass expiry no step looks at more than some thousands, and each removal comes once', () => {
  const { task } = new Committing();
  const cut = task.cut({
    logId: 'l',
    owner: 'o',
    commitId: 'c',
    sequence: 0,
    previousCommitId: '',
    inputPartitions: 1,
  });
  const closes = 200_000;
  let looks = 0;
  function* removals(): Generator<Uint8Array, undefined> {
    for (; looks < closes; looks += 1) yield Uint8Array.of(looks & 255, (looks >>> 8) & 255, looks >>> 16);
    return undefined;
  }
  // An array as far as it is asked: no step must want the rest.
  const lazy = Object.assign([], { [Symbol.iterator]: removals }) as readonly Uint8Array[];
  task.checkpoints.add({ ...cut, removals: lazy, firstOrdinal: 0, offsets: [0] });
  const flush = task.checkpoints.flush(4_000)!;
  const removed = new Uint8Array(closes);
  for (let before = 0, next = flush.next(); next.done !== true; before = looks, next = flush.next()) {
    expect(looks - before).toBeLessThanOrEqual(20_000);
    expect(next.value.changes.removals.length).toBeLessThanOrEqual(4_000);
    for (const [low, middle, high] of next.value.changes.removals) removed[low! | (middle! << 8) | (high! << 16)]! += 1;
  }
  expect(removed.every((times) => times === 1)).toBe(true);
});
