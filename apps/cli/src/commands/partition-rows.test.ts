import { expect, test } from '@jest/globals';
import { heldText, inOrder, partitionLines, type PartitionRow } from './partition-rows.ts';

const NOW = 1_800_000_000_000;
const row = (worker: number | undefined, partition: number, role: PartitionRow['role']): PartitionRow => ({
  pipeline: 'visits',
  partition,
  role,
  state: role === 'owner' ? 'running' : 'following',
  liveEntries: 3,
  lag: 0,
  clock: NOW - 4_000,
  ...(worker !== undefined && { worker }),
});

test('partitions of workers are in order, each standby behind its owner, with who has it', () => {
  const rows = [row(1, 0, 'owner'), row(1, 1, 'standby'), row(2, 1, 'owner'), row(2, 0, 'standby')];
  expect(heldText(rows)).toBe('2 partitions, 2 standbys');
  expect(partitionLines(inOrder(rows), NOW)).toEqual([
    '  visits/0  worker 1  running             3 live  lag 0  clock 4 s old',
    '  visits/0  worker 2  standby, following  3 live  lag 0  clock 4 s old',
    '  visits/1  worker 2  running             3 live  lag 0  clock 4 s old',
    '  visits/1  worker 1  standby, following  3 live  lag 0  clock 4 s old',
  ]);
});

test('those of one process name none, and leave no gap for it', () => {
  const rows = [row(undefined, 10, 'owner'), row(undefined, 9, 'owner')];
  expect(heldText(rows)).toBe('2 partitions');
  expect(partitionLines(inOrder(rows), NOW)).toEqual([
    '  visits/9   running  3 live  lag 0  clock 4 s old',
    '  visits/10  running  3 live  lag 0  clock 4 s old',
  ]);
});
