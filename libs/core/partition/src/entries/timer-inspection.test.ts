import { describe, expect, test } from '@jest/globals';
import { AssertionError, seededRandom } from '@flatline/base';
import type { SessionEvent } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration, type TimerInspection, timerFaults } from '../index.ts';
import { applyBlock, begin, bytes, ListCursor, options, text } from '../task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const CONTEXT = { logId: 'log', owner: 'me', inputPartitions: 1 };
const rules = { ...options().rules, maxDurationMs: 20_000 };

/** A payload is the timeout it asks for. */
const decoder = {
  decode: (value: Uint8Array, start: number, length: number, event: SessionEvent) => {
    event.timeoutMs = Number(text(value.subarray(start, start + length)));
    return { kind: 'event' as const };
  },
  prepare: () => Promise.resolve(),
};

const entry = { key: bytes('k'), dueAt: 1_000, isOwing: false, armedFor: 1_000 };

describe('[V8] timers', () => {
  test.each<[string, TimerInspection, string[]]>([
    ['no entry', { entries: [], armed: 0, earliest: undefined }, []],
    ['on time', { entries: [entry], armed: 1, earliest: 1_000 }, []],
    ['early: re-arming is lazy', { entries: [{ ...entry, armedFor: 400 }], armed: 1, earliest: 390 }, []],
    ['none', { entries: [{ ...entry, armedFor: undefined }], armed: 0, earliest: undefined }, ['has no timer']],
    ['late', { entries: [{ ...entry, armedFor: 1_001 }], armed: 1, earliest: 1_000 }, ['at 1001, 1 ms late']],
    ['of no entry', { entries: [entry], armed: 2, earliest: 1_000 }, ['2 timers for 1 entries']],
    ['not waited for', { entries: [entry], armed: 1, earliest: 1_001 }, ['the wheel waits until 1001']],
    ['not waited for at all', { entries: [entry], armed: 1, earliest: undefined }, ['waits until Infinity']],
  ])('[V8] %s', (_what, inspection, faults) => {
    expect(timerFaults(inspection)).toEqual(faults.map((fault): unknown => expect.stringContaining(fault)));
  });

  test('[V8] before its state is restored a task has no timers to be looked at', () => {
    expect(new PartitionTask(options()).timers()).toBeUndefined();
  });

  test.each([1, 3, 5, 6, 7, 100])('[V8] timers armed %i places at a time are those armed at once', (limit) => {
    const owner = new PartitionTask(options({ rules, decoder }));
    begin(owner, 0, START);
    const records = Array.from({ length: 8 }, (_, i) => ({ offset: i, timestamp: 1_000 + i, key: `k${i}`, value: '' }));
    // Places without an entry, among them the last.
    const ends = ['k2', 'k6', 'k7'].map((key, i) => ({ offset: 8 + i, timestamp: 1_100, key, value: null }));
    const written: Uint8Array[] = [];
    for (const [sequence, some] of [records, ends].entries()) {
      owner.step(new ListCursor(some), some.length, 0);
      const ids = { sequence, commitId: String(sequence), previousCommitId: String(sequence - 1) };
      const cut = owner.cut({ ...CONTEXT, ...ids });
      written.push(...cut.blocks.map((block) => block.bytes.slice()));
      owner.settle(cut, [sequence]);
    }
    const restored = (): PartitionTask => {
      const task = new PartitionTask(options({ rules, decoder }));
      const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
      written.forEach((block, offset) => applyBlock(restoration, block, offset));
      expect(task.table.slotsEnd).toBe(8);
      return task;
    };
    const [atOnce, sliced] = [restored(), restored()];
    begin(atOnce, 1_100, START);
    sliced.resume(1_100, START);
    for (let left = sliced.table.slotsEnd - limit; left > 0; left -= limit) {
      expect(sliced.arm(limit)).toBe(false);
      expect(sliced.timers()).toBeUndefined();
      expect(sliced.earliestDue()).toBeUndefined();
      expect(() => sliced.expire(1, 0)).toThrow(AssertionError);
      expect(() => sliced.step(new ListCursor([]), 1, 0)).toThrow(AssertionError);
    }
    expect(sliced.arm(limit)).toBe(true);
    expect(sliced.timers()).toEqual(atOnce.timers());
    expect(sliced.timers()!.entries).toHaveLength(5);
    expect(sliced.earliestDue()).toBe(atOnce.earliestDue());
    expect(() => sliced.arm(limit)).toThrow(AssertionError);
  });

  test.each([1, 2, 3])('[V8] seed %i: every entry has its timer, whatever comes, after a restore too', (seed) => {
    const random = seededRandom(seed);
    const changes = { rules, decoder };
    let task = new PartitionTask(options(changes));
    begin(task, 0, START);
    let [clock, sequence, restores] = [1_000_000, 0, 0];
    const written: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
    for (let offset = 0; offset < 3_000; offset += 1) {
      clock += random.below(40);
      const value = random.chance(0.05) ? null : random.chance(0.3) ? String(1 + random.below(5_000)) : '';
      const record = { offset, timestamp: clock, key: `k${random.below(20)}`, value };
      task.step(new ListCursor([record]), 1, 0);
      if (random.chance(0.7)) task.expire(1 + random.below(3), 0);
      if (random.chance(0.1)) {
        const ids = { sequence: ++sequence, commitId: String(sequence), previousCommitId: String(sequence - 1) };
        const cut = task.cut({ ...CONTEXT, ...ids });
        const offsets = cut.blocks.map((_, part) => written.length + part);
        cut.blocks.forEach((block, part) => written.push({ bytes: block.bytes.slice(), offset: offsets[part]! }));
        task.settle(cut, offsets);
      }
      const inspection = task.timers()!;
      expect(timerFaults(inspection)).toEqual([]);
      expect(inspection.entries).toHaveLength(task.liveEntries);
      if (!random.chance(0.01) || sequence === 0) continue;
      restores += 1;
      task = new PartitionTask(options(changes));
      const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
      for (const block of written) applyBlock(restoration, block.bytes, block.offset);
      expect(restoration.finish()).toBeUndefined();
      begin(task, restoration.last!.clock, { ...START, ...restoration.last!.inputs[0] });
      expect(timerFaults(task.timers()!)).toEqual([]);
      expect(task.timers()!.entries.length).toBeGreaterThan(0);
    }
    expect(restores).toBeGreaterThan(5);
  });
});
