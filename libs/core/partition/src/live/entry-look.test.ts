import { describe, expect, test } from '@jest/globals';
import { resetEvent, type SessionEvent } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { Restoration } from '../checkpoint/restoration.ts';
import { ActsLog } from '../kinds/session/acts.fixture.ts';
import { applyBlock, begin, bytes, ListCursor, options, type TestRecord } from '../task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const NAME = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };

function taskOf(...records: readonly Partial<TestRecord>[]): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  step(task, records);
  return task;
}

function step(task: PartitionTask, records: readonly Partial<TestRecord>[], first = 0): void {
  const all = records.map((each, i) => ({ offset: first + i, timestamp: 5_000, key: 'k', value: '', ...each }));
  task.step(new ListCursor(all), 1e6, WALL);
}

/** Tells if the key has an entry, and what is to be waited for. */
function looked(task: PartitionTask, key = 'k'): string {
  const { entry, position, unsettledCuts, isDue } = task.look(bytes(key))!;
  return `${entry === undefined ? 'none' : 'live'} at ${position}, ${unsettledCuts} to settle${isDue ? ', due' : ''}`;
}

describe('looking at a key', () => {
  test('[Q2] what changed waits for the cut that holds it, through the one in flight; what has not changed waits for none', () => {
    const task = taskOf({}, { key: 'other' });
    expect(looked(task)).toBe('live at 2, 1 to settle');
    const cut = task.cut(NAME);
    expect(looked(task)).toBe('live at 2, 1 to settle');
    step(task, [{}], 2);
    expect(looked(task)).toBe('live at 3, 2 to settle');
    task.settle(cut, [10]);
    expect(looked(task)).toBe('live at 3, 1 to settle');
    expect(looked(task, 'other')).toBe('live at 3, 0 to settle');
    expect(looked(task, 'stranger')).toBe('none at 3, 0 to settle');
  });

  test('[Q2] none is said of no key while an end is not committed', () => {
    const task = taskOf({});
    task.settle(task.cut(NAME), [10]);
    step(task, [{ value: null }], 1);
    expect(looked(task)).toBe('none at 2, 1 to settle');
    const cut = task.cut({ ...NAME, commitId: 'run-2', sequence: 1, previousCommitId: 'run-1' });
    expect(looked(task)).toBe('none at 2, 1 to settle');
    task.settle(cut, [11]);
    expect(looked(task)).toBe('none at 2, 0 to settle');
    expect(task.settledCuts).toBe(2);
  });

  test('[Q2] what the clock has reached is due before it is shown', () => {
    const task = taskOf({});
    task.settle(task.cut(NAME), [10]);
    step(task, [{ key: 'other', timestamp: 6_000 }], 1);
    expect(looked(task)).toBe('live at 2, 0 to settle, due');
    expect(task.expire(10, WALL)).toBe(false);
    expect(looked(task)).toBe('none at 2, 1 to settle');
  });

  test('[Q1][C8] one that only follows the changelog counts what was held, and goes on as the owner once it is', () => {
    const heldTime = { unheardMs: 100, maxHoldMs: 10_000 };
    const owner = new PartitionTask(options({ heldTime }));
    const standby = new PartitionTask(options({ heldTime, hashSeed: 99 }));
    const restoration = new Restoration(standby.table, standby.changelog, standby.checkpoints);
    begin(owner, 0, START);
    const follow = (sequence: number): void => {
      const previousCommitId = sequence === 0 ? '' : `run-${sequence}`;
      const cut = owner.cut({ ...NAME, commitId: `run-${sequence + 1}`, sequence, previousCommitId });
      const offsets = cut.blocks.map((_, part) => 10 * (sequence + 1) + part);
      cut.blocks.forEach((block, part) => applyBlock(restoration, block.bytes.slice(), offsets[part]!));
      owner.settle(cut, offsets);
    };
    const isDue = (): readonly (boolean | undefined)[] => [
      owner.look(bytes('k'))!.isDue,
      standby.lookRestored(bytes('k'), restoration.last!)?.isDue,
    ];
    step(owner, [{}]);
    // All but 100 ms of the two seconds are held: the second that ends silence is up at 7 900.
    step(owner, [{ key: 'other', timestamp: 7_000 }], 1);
    follow(0);
    expect(isDue()).toEqual([false, false]);
    for (let i = 2; i < 10; i += 1) step(owner, [{ key: 'other', timestamp: 6_810 + i * 90 }], i);
    follow(1);
    expect(isDue()).toEqual([false, false]);
    for (let i = 10; i < 14; i += 1) step(owner, [{ key: 'other', timestamp: 6_810 + i * 90 }], i);
    follow(2);
    expect(isDue()).toEqual([true, true]);
    const { last } = restoration;
    standby.resume(last!.clock, last!.inputs, last);
    expect(standby.heldMs).toBe(1_900);
  });

  test('[Q2] what is written into a cut in slices is committed with it, and not before', () => {
    const decoder = {
      decode: (_bytes: Uint8Array, _start: number, _length: number, event: SessionEvent) => {
        resetEvent(event);
        event.attributes = new Map(Array.from({ length: 400 }, (_, i) => [`name ${i}`, 'x'.repeat(1_000)]));
        return { kind: 'event' as const };
      },
      prepare: () => Promise.resolve(),
    };
    const { rules } = options();
    const task = new PartitionTask(
      options({ decoder, rules: { ...rules, maxAttributes: 400, maxAttributeBytes: 500_000 } }),
    );
    begin(task, 0, START);
    step(task, [{ value: '{}' }]);
    const waits = new Set<string>();
    for (let slice = 0; !task.prepareCut(100); slice += 1) {
      waits.add(looked(task));
      expect(slice).toBeLessThan(10_000);
    }
    expect([...waits]).toEqual(['live at 1, 1 to settle']);
  });
});

class Evicted extends ActsLog {
  /** A task that has restored all blocks, and looks. */
  restored(key: string): ReturnType<PartitionTask['lookRestored']> {
    const task = this.newTask();
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => {
      applyBlock(restoration, block, offset);
    });
    return task.lookRestored(bytes(key), restoration.last!);
  }
}

test('[Q2][Q4] a standby says of an entry that an eviction under way concerns that it is due, as its owner does', () => {
  const log = new Evicted({ rules: { timeoutMs: 100, graceMs: 0 } });
  log.add(1_000_000, 'k', { type: 'CLICK', attributes: { gateway: 'g1' } });
  log.evict(1_000_005, 'gateway', 'g1');
  log.commitWith(0);
  expect([log.task.look(bytes('k'))!.isDue, log.restored('k')!.isDue]).toEqual([true, true]);
});
