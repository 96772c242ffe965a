import { expect, test } from '@jest/globals';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { begin, ListCursor, options } from '../task.fixture.ts';
import type { StoredImage } from './checkpoint-inspection.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const CONTEXT = { logId: 'log', owner: 'me', commitId: 'c', sequence: 0, previousCommitId: '', inputPartitions: 1 };

/** A task whose one commit is in the store, row by row. */
function stored(): { readonly task: PartitionTask; readonly rows: Map<number, StoredImage> } {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  const beats = ['a', 'b'].map((key, offset) => ({ offset, timestamp: 1_000, key, value: '' }));
  task.step(new ListCursor(beats), 100, 9e12);
  const cut = task.cut(CONTEXT);
  task.settle(cut, [0]);
  const rows = new Map<number, StoredImage>();
  const flush = task.checkpoints.flush(10)!;
  for (let slice = flush.next(); slice.done !== true; slice = flush.next())
    for (const { slot, bytes, keyStart, keyLength, imageStart, imageLength } of slice.value.changes.puts) {
      const key = bytes.slice(keyStart, keyStart + keyLength);
      rows.set(slot, { key, image: bytes.slice(imageStart, imageStart + imageLength) });
    }
  return { task, rows };
}

test('CK1: a store that has what is committed is what the task takes it to be', () => {
  const { task, rows } = stored();
  expect(rows.size).toBe(2);
  expect(task.inspect(rows)).toEqual([]);
});

test('CK1: a row that is missing, or another, is found', () => {
  const { task, rows } = stored();
  const [a, b] = [rows.get(0)!, rows.get(1)!];
  expect(task.inspect(new Map([[0, a]]))).toEqual(['CK1: slot 1 has no row in the store, and is not stale']);
  expect(
    task.inspect(
      new Map([
        [0, a],
        [1, { ...b, image: a.image.map((byte) => byte + 1) }],
      ]),
    ),
  ).toEqual(['CK1: the row of slot 1 is another, and not stale']);
});
