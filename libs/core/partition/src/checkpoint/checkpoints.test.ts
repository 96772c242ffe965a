import { describe, expect, test } from '@jest/globals';
import { sessionFormat } from '@flatline/kinds/session';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import type { RowPlace, StoreCheckpoint } from '@flatline/ports';
import fc from 'fast-check';
import { type FlushSlice, NO_BATCH, PartitionTask, type TaskCut } from '../index.ts';
import { begin, bytes, insertKey, ListCursor, options, text } from '../task.fixture.ts';
import { Changelog } from '../changelog/changelog.ts';
import { EntryTable } from '../entries/entry-table.ts';
import { Checkpoints } from './checkpoints.ts';

const WALL = 9e12;

/** An event that cannot be applied to its end. */
const HALF_APPLIED = {
  decode: (_bytes: Uint8Array, _start: number, _length: number, event: SessionEvent) => {
    Object.assign(event, blankEvent(), { type: 'T', eventId: 'e' });
    event.attributes = new Map([['name', 'value']]);
    event.attributes[Symbol.iterator] = () => {
      throw new Error('failed on purpose');
    };
    return { kind: 'event' as const };
  },
  prepare: () => Promise.resolve(),
};

/** A task whose commits are settled one after another, each block at the next offset; and the store that it is flushed to. */
class Committing {
  readonly task = new PartitionTask(options({ decoder: HALF_APPLIED }));
  /** By slot: key, changelog offset of its image, and the commit that the row is the state after. */
  readonly store = new Map<number, string>();
  checkpoint: StoreCheckpoint | undefined;
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

  /** An event that fails half applied. */
  fail(key: string): void {
    this.task.step(new ListCursor([{ offset: this.#position++, timestamp: 1, key, value: 'event' }]), 1, WALL);
  }

  cut(): TaskCut {
    this.#sequence += 1;
    const commitId = `run-${this.#sequence}`;
    const ids = { logId: 'log', owner: 'me', previousCommitId: '', inputPartitions: 1 };
    return this.task.cut({ ...ids, commitId, sequence: this.#sequence });
  }

  settle(cut: TaskCut): void {
    const offsets = cut.blocks.map(() => this.#offset++);
    this.task.settle(cut, offsets);
  }

  commit(...keys: readonly string[]): this {
    this.beat(...keys);
    this.settle(this.cut());
    return this;
  }

  /** Writes up to `slices` slices; true once the flush has ended. */
  write(flush: Iterator<FlushSlice, undefined>, slices = Infinity): boolean {
    for (let left = slices; left > 0; left -= 1) {
      const next = flush.next();
      if (next.done === true) return true;
      const { changes, checkpoint, waits } = next.value;
      for (const slot of changes.removals) this.store.delete(slot);
      for (const put of changes.puts) this.store.set(put.slot, shown(put));
      this.checkpoint = checkpoint ?? this.checkpoint;
      if (waits) return false;
    }
    return false;
  }

  rows(): string[] {
    return [...this.store.values()].sort();
  }
}

function shown({ bytes, keyStart, keyLength, changelogOffset, sequence }: RowPlace): string {
  return `${text(bytes.subarray(keyStart, keyStart + keyLength))} image ${changelogOffset} as of ${sequence}`;
}

describe('a flush', () => {
  test('CK2 writes each entry that a commit has changed once, as of the last commit', () => {
    const committing = new Committing().commit('a', 'b').commit('b').commit('c');
    expect(committing.write(committing.task.checkpoints.flush(100)!)).toBe(true);
    expect(committing.rows()).toEqual(['a image 0 as of 3', 'b image 0 as of 3', 'c image 2 as of 3']);
    expect(committing.checkpoint).toMatchObject({ changelogPosition: 3, liveEntries: 3 });
  });

  test('CK1 removes the row of an entry that has gone, once a commit says so', () => {
    const committing = new Committing().commit('a', 'b');
    committing.write(committing.task.checkpoints.flush(100)!);
    committing.beat('-a');
    expect(committing.task.checkpoints.flush(100)).toBeUndefined();
    committing.settle(committing.cut());
    committing.write(committing.task.checkpoints.flush(100)!);
    expect(committing.rows()).toEqual(['b image 0 as of 1']);
  });

  test('CK2 an entry that has changed since waits for the next commit, which brings its row; the checkpoint waits with it', () => {
    const committing = new Committing().commit('a', 'b').beat('a');
    const flush = committing.task.checkpoints.flush(100)!;
    expect(committing.write(flush)).toBe(false);
    expect([committing.rows(), committing.checkpoint]).toEqual([['b image 0 as of 1'], undefined]);
    const cut = committing.beat('b').cut();
    committing.beat('a', 'b');
    expect(committing.write(flush)).toBe(false);
    expect(committing.checkpoint).toBeUndefined();
    committing.settle(cut);
    expect(committing.write(flush)).toBe(true);
    expect(committing.rows()).toEqual(['a image 0 as of 2', 'b image 0 as of 1']);
    expect(committing.checkpoint).toMatchObject({ changelogPosition: 1 });
  });

  test('CK2 an entry that has ended since waits for the next commit, too', () => {
    const committing = new Committing().commit('a', 'b').beat('-a');
    const flush = committing.task.checkpoints.flush(100)!;
    expect(committing.write(flush)).toBe(false);
    expect(committing.rows()).toEqual(['b image 0 as of 1']);
    const cut = committing.cut();
    expect(committing.write(flush)).toBe(false);
    committing.settle(cut);
    expect(committing.write(flush)).toBe(true);
    expect([committing.rows(), committing.checkpoint?.changelogPosition]).toEqual([['b image 0 as of 1'], 1]);
  });

  test('CK3 one that is begun while another is under way has to write what that has left', () => {
    const committing = new Committing().commit('a', 'b', 'c');
    expect(committing.write(committing.task.checkpoints.flush(1)!, 1)).toBe(false);
    committing.commit('d');
    expect(committing.write(committing.task.checkpoints.flush(1)!)).toBe(true);
    expect(committing.store.size).toBe(4);
    expect(committing.checkpoint?.changelogPosition).toBe(2);
  });

  test('[X6] no slice has more rows than the limit, and no step looks at more slots than it should', () => {
    const keys = Array.from({ length: 25 }, (_, i) => `key-${i}`);
    const committing = new Committing().commit(...keys);
    const sizes: number[] = [];
    const flush = committing.task.checkpoints.flush(10)!;
    for (let next = flush.next(); next.done !== true; next = flush.next()) sizes.push(next.value.changes.puts.length);
    expect(sizes.filter((size) => size > 0)).toEqual([10, 10, 5]);
  });

  test('[I6] CK2 once a record has failed half applied nothing is flushed any more, not even by a flush under way', () => {
    const committing = new Committing();
    committing.commit('a', 'b');
    const flush = committing.task.checkpoints.flush(1)!;
    expect(committing.write(flush, 1)).toBe(false);
    expect(() => {
      committing.fail('b');
    }).toThrow('failed on purpose');
    expect(committing.write(flush)).toBe(true);
    expect([committing.rows(), committing.checkpoint]).toEqual([['a image 0 as of 1'], undefined]);
    expect(committing.task.checkpoints.flush(1)).toBeUndefined();
  });

  test('[X6] CK2 what cuts have taken counts for nothing once there is no store, however far a flush has come', () => {
    const committing = new Committing().commit('a', 'b').beat('a', 'b');
    const { checkpoints } = committing.task;
    const flush = checkpoints.flush(1)!;
    expect(committing.write(flush)).toBe(false);
    committing.settle(committing.cut());
    expect(checkpoints.takenBytes).toBeGreaterThan(0);
    expect(committing.write(flush, 1)).toBe(false);
    checkpoints.discard();
    expect(committing.write(flush)).toBe(true);
    expect([checkpoints.takenBytes, checkpoints.inspect()]).toEqual([0, []]);
    expect(committing.rows()).toEqual(['a image 0 as of 2']);
  });

  test('CK3 what is settled while the last pass is under way needs no further commit', () => {
    const committing = new Committing().commit('a', 'b').beat('a');
    const flush = committing.task.checkpoints.flush(1)!;
    const cut = committing.cut();
    expect(committing.write(flush, 1)).toBe(false);
    committing.settle(cut);
    expect(committing.write(flush)).toBe(true);
    expect(committing.checkpoint?.changelogPosition).toBe(1);
  });

  test('[X6] cuts take only so much along while the store takes nothing, and the rest once it does', () => {
    const { hashSeed, changelog: limits, blockMemory } = options();
    const table = new EntryTable(hashSeed, sessionFormat);
    const changelog = new Changelog(table, limits, blockMemory);
    const checkpoints = new Checkpoints(table, changelog, () => 1_000);
    changelog.giveRowsTo(checkpoints);
    const slots = Array.from({ length: 50 }, (_, i) => insertKey(table, bytes(`key-${i}`)));
    let offset = 0;
    const commit = (...changed: readonly number[]): void => {
      for (const slot of changed) changelog.changed(table.view().at(slot));
      const ids = { logId: 'l', owner: 'o', commitId: 'c', previousCommitId: '', inputPartitions: 1 };
      const cut = changelog.cut({ ...ids, sequence: offset, inputs: [], clock: 0, heldMs: 0, holds: [] });
      const offsets = cut.blocks.map(() => (offset += 1));
      const images = cut.blocks.map((block) => block.slots);
      changelog.settle(cut, offsets);
      const header = { ...cut.header, part: cut.blocks.length - 1, parts: cut.blocks.length };
      const { removed } = cut;
      checkpoints.committed({ header, removed, offsets, slots: images, stretches: [], bytes: 1 });
    };
    commit(...slots);
    const flush = checkpoints.flush(1)!;
    expect(flush.next().value?.changes.puts).toHaveLength(1);
    for (const slot of slots) commit(slot);
    expect(checkpoints.takenBytes).toBeGreaterThan(500);
    expect(checkpoints.takenBytes).toBeLessThan(1_100);
    const written = new Set<number>();
    for (let next = flush.next(); next.done !== true; next = flush.next())
      for (const { slot } of next.value.changes.puts) written.add(slot);
    expect(written.size).toBe(49);
    expect(checkpoints.takenBytes).toBe(0);
  });

  test('a commit without changes moves the checkpoint on', () => {
    const committing = new Committing().commit();
    committing.write(committing.task.checkpoints.flush(5)!);
    expect(committing.checkpoint?.changelogPosition).toBe(1);
  });
});

/** Beats and ends, cuts, commits, slices of a flush, new flushes, in any order. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.tuple(fc.nat(40), fc.nat(2)), { minLength: 1, maxLength: 30 }) },
  { weight: 3, arbitrary: fc.constantFrom('cut' as const, 'settle' as const, 'flush' as const) },
  { weight: 3, arbitrary: fc.nat(6) },
);

test('CK1–CK3 whatever comes between its slices, with a checkpoint the store has what that commit or a later one says', () => {
  // A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, limit) => {
      const committing = new Committing();
      /** After each commit, by key: the block of its image. */
      const states = [new Map<string, number>()];
      let inCut: { cut: TaskCut; keys: Map<string, number> } | undefined;
      let pending = new Map<string, number>();
      let flush: Iterator<FlushSlice, undefined> | undefined;
      for (const each of steps) {
        if (each === 'cut') {
          if (inCut !== undefined) continue;
          inCut = { cut: committing.cut(), keys: pending };
          pending = new Map();
        } else if (each === 'flush') flush = committing.task.checkpoints.flush(limit) ?? flush;
        else if (each === 'settle') {
          if (inCut === undefined) continue;
          const state = new Map(states.at(-1));
          for (const [key, kind] of inCut.keys)
            if (kind === 0) state.delete(key);
            else state.set(key, states.length);
          states.push(state);
          committing.settle(inCut.cut);
          inCut = undefined;
        } else if (typeof each === 'number') {
          const before = committing.checkpoint;
          if (flush !== undefined && committing.write(flush, each)) flush = undefined;
          if (committing.checkpoint !== before) expectSound(committing, states);
        } else {
          const words = new Map(each.map(([key, kind]) => [`key-${key}`, kind]));
          for (const [key, kind] of words) pending.set(key, kind);
          committing.beat(...[...words].map(([key, kind]) => (kind === 0 ? `-${key}` : key)));
        }
      }
    }),
    { numRuns: 500 },
  );
});

/** Each row is what its commit said; what the checkpoint's commit has is there, or something later. */
function expectSound({ store, checkpoint }: Committing, states: readonly ReadonlyMap<string, number>[]): void {
  const asOf = new Map<string, number>();
  for (const row of store.values()) {
    const [key, , offset, , , sequence] = row.split(' ');
    expect(states[Number(sequence)]?.get(key!)).toBe(Number(offset) + 1);
    asOf.set(key!, Math.max(asOf.get(key!) ?? 0, Number(sequence)));
  }
  const at = checkpoint!.changelogPosition;
  for (const [key, image] of states[at]!) {
    const isUnchanged = states.slice(at).every((state) => state.get(key) === image);
    if (isUnchanged) expect(asOf.has(key)).toBe(true);
  }
}
