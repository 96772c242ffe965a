// Compares the bound that the configuration is checked against (I4) with blocks as they are cut.
import { ReusedMemory } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { largestBlockBytes, PartitionTask } from '../index.ts';
import { begin, ListCursor, options } from '../task.fixture.ts';
import { NO_BATCH } from './block-format.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

test('[I4][K1] no block is longer than the topic is asked to take, whatever settings stand in its header', () => {
  const [blockBytesMax, maxKeyBytes] = [4_096, 64];
  // As many as are kept, and characters of three bytes, as those of a setting may be.
  const texts = Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(2_000, '\uffff'));
  const settings = texts.map((text, sequence) => ({ sequence, from: 2 ** 53 - 1, text }));
  const changelog = { ...options().changelog, blockBytesMax, settings: 'others'.padEnd(2_000, '\uffff') };
  const task = new PartitionTask(options({ changelog, blockMemory: new ReusedMemory(0) }));
  task.changelog.settings.logged({ sequence: 39, inputs: [], floor: 0, settings }, 0, 1);
  begin(task, 0, START);
  const records = Array.from({ length: 200 }, (_, offset) => ({
    offset,
    timestamp: 1e12,
    key: `${offset}`.padEnd(maxKeyBytes, 'x'),
    value: '',
  }));
  task.restartReading();
  task.step(new ListCursor(records), 200, 9e12);
  const names = { logId: 'log', owner: 'me', commitId: 'c', previousCommitId: 'b' };
  const { blocks, header } = task.cut({ ...names, sequence: 40, inputPartitions: 1 });
  expect(header.settings!.length).toBeGreaterThan(1);
  expect(blocks.length).toBeGreaterThan(1);
  for (const { bytes } of blocks)
    expect(bytes.length).toBeLessThanOrEqual(largestBlockBytes(maxKeyBytes, blockBytesMax));
});
