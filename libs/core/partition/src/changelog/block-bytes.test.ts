// The bytes of blocks, which other processes read.
import { describe, expect, test } from '@jest/globals';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { begin, ListCursor, options } from '../task.fixture.ts';
import { decodeBlock, encodeClaim } from './block-format.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };

function begun(): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  return task;
}

describe('[K1] the block format', () => {
  test('[K9] golden bytes of version 2', () => {
    const task = begun();
    const records = [
      { offset: 41, timestamp: 1_700_000_000_000, key: 'k', value: '' },
      { offset: 42, timestamp: 1_700_000_000_500, key: 'second', value: '' },
    ];
    task.step(new ListCursor(records), 10, 9e12);
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460201036c6f67026d650572756e2d310000000104012b1204000008e8a7abfef96200f4d395ffbc31000002da26631e2d0001016b0d0080d095ffbc3100290001e80711067365636f6e640d00f4d395ffbc31002a0001e807"`,
    );
    const decoded = decodeBlock(block!.bytes);
    expect(decoded).toMatchObject({
      kind: 'state',
      header: { ...context, part: 0, parts: 1, liveEntries: 2, clock: 1_700_000_000_500 },
    });
  });

  test('[K9] golden bytes of an application that did not begin at 0', () => {
    const task = new PartitionTask(options());
    begin(task, 0, { ...START, position: 300, origin: 300 });
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460204036c6f67026d650572756e2d31000000010401ac020000000003000000000000000000000000ac0200"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    expect(decoded.header.inputs).toEqual([{ ...START, position: 300, origin: 300 }]);
    expect(decoded.bodyStart).toBe(block!.bytes.length);
  });

  test('[K9] golden bytes of version 3: a commit that says by which settings this one and others were made', () => {
    const task = new PartitionTask(options({ changelog: { ...options().changelog, settings: '{"timeoutMs":1000}' } }));
    begin(task, 0, { ...START, position: 300, origin: 300 });
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460305036c6f67026d650572756e2d31000000010401ac020000000003000000000000000000000000ac02000100ac02127b2274696d656f75744d73223a313030307d"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    expect(decoded.header.settings).toEqual([{ sequence: 0, from: 300, text: '{"timeoutMs":1000}' }]);
    expect(decoded.bodyStart).toBe(block!.bytes.length);
  });

  test('[K9] claims and commits are written in the format that is pinned, and in none that is not read', () => {
    const claim = { owner: 'me', claimId: 'c-1' };
    expect(encodeClaim(claim, 2)).toEqual(encodeClaim(claim));
    expect(() => encodeClaim(claim, 4)).toThrow('a changelog format that is written is one that is read');
    const pinned = (format: number): PartitionTask =>
      new PartitionTask(options({ changelog: { ...options().changelog, format } }));
    const tasks = [begun(), pinned(2), pinned(4)];
    for (const task of tasks.slice(1)) begin(task, 0, START);
    expect(tasks[1]!.cut(context).blocks).toEqual(tasks[0]!.cut(context).blocks);
    expect(() => tasks[2]!.cut(context)).toThrow('a changelog format that is written is one that is read');
  });

  test('[K9] another version stops the reader', () => {
    const [block] = begun().cut(context).blocks;
    block!.bytes[1] = 4;
    expect(() => decodeBlock(block!.bytes)).toThrow(
      'changelog format version 4, this build reads 2 and 3: run the newer Flatline',
    );
    block!.bytes[1] = 1;
    expect(() => decodeBlock(block!.bytes)).toThrow(
      'changelog format version 1, this build reads 2 and 3: no release wrote that',
    );
  });
});
