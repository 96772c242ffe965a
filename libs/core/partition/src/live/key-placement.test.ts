import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@flatline/base';
import { NO_BATCH, PartitionTask, type TaskOptions } from '../index.ts';
import { begin, ListCursor, options, type TestRecord } from '../task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const PARTITIONS = 4;
const placeOf = (key: string): number => partitionOf(new TextEncoder().encode(key), PARTITIONS);
const [AT_HOME = '', ALSO_AT_HOME = ''] = namesIn(0);
const [FOREIGN = ''] = namesIn(3);

function namesIn(partition: number): string[] {
  return Array.from({ length: 40 }, (_, number) => `key-${number}`).filter((key) => placeOf(key) === partition);
}

/** A task of partition 0 that has taken these, each a second after the one before: a session lives for one. */
function taskAfter(keys: readonly (string | null)[], input: Partial<TaskOptions['input']>): PartitionTask {
  const chosen = options();
  const task = new PartitionTask({ ...chosen, input: { ...chosen.input, ...input } });
  begin(task, 0, START);
  const records = keys.map((key, offset): TestRecord => ({ offset, timestamp: 1_000 * (offset + 1), key, value: '' }));
  expect(task.step(new ListCursor(records), 1_000, 1e9)).toEqual({ kind: 'exhausted' });
  return task;
}

describe('a key in another partition than its own', () => {
  test('[I9] is counted with each entry that it opens, and the newest is known by its offset and its own partition', () => {
    const task = taskAfter([AT_HOME, FOREIGN, ALSO_AT_HOME, FOREIGN, AT_HOME], { keyPartitions: PARTITIONS });
    expect(task.counters.misplacedKeys).toBe(2);
    expect(task.misplacedKey).toEqual({ input: 0, offset: 3, belongsTo: 3 });
  });

  test('[I9] is not looked at again by records of an entry that lives', () => {
    const chosen = options();
    const input = { ...chosen.input, keyPartitions: PARTITIONS };
    const task = new PartitionTask({ ...chosen, input });
    begin(task, 0, START);
    const beats = Array.from({ length: 9 }, (_, at) => ({
      offset: at,
      timestamp: 1_000 + at,
      key: FOREIGN,
      value: '',
    }));
    task.step(new ListCursor(beats), 1_000, 1e9);
    expect(task.counters).toMatchObject({ recordsRead: 9, misplacedKeys: 1 });
    expect(task.misplacedKey).toEqual({ input: 0, offset: 0, belongsTo: 3 });
  });

  test('[I9] is taken as any other; a record without a key has no partition of its own', () => {
    const task = taskAfter([null, FOREIGN], { keyPartitions: PARTITIONS });
    expect(task.liveEntries).toBe(1);
    expect(task.counters).toMatchObject({ deadLetters: 1, misplacedKeys: 1 });
  });

  test('[I9] is nothing to tell where producers choose partitions by something else, or there is one', () => {
    for (const keyPartitions of [undefined, 1]) {
      const task = taskAfter([AT_HOME, FOREIGN], { keyPartitions });
      expect(task.counters.misplacedKeys).toBe(0);
      expect(task.misplacedKey).toBeUndefined();
    }
  });
});
