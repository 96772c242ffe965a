import { ReusedMemory } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { sessionKind } from '@flatline/kinds/session';
import { NO_BATCH, PartitionTask, type TaskOptions } from '@flatline/partition';
import type { StoreCheckpoint } from '@flatline/ports';
import { SESSION_RULES } from '../world.fixture.ts';
import { LineageCheck } from './lineage-check.ts';

const OPTIONS: TaskOptions = {
  partition: 0,
  kind: sessionKind({
    rules: SESSION_RULES,
    decoder: { decode: () => ({ kind: 'event' }), prepare: () => Promise.resolve() },
    encoder: { encode: () => new Uint8Array(0) },
    tombstones: true,
    outputTopic: 'output',
  }),
  input: { timestampType: 'LogAppendTime', maxKeyBytes: 9, maxFutureMs: 9, maxLeadMs: 9, liveWithinMs: 9 },
  changelog: { blockBytesMax: 512, changelogFactor: 4, unsweptLogBytes: 2_048 },
  tickMs: 1,
  hashSeed: 1,
  blockMemory: new ReusedMemory(0),
  pendingChangesMax: 9,
  outputBytesMax: () => 9,
  owedBytesMax: 9,
  takenRowBytesMax: () => 9,
  deadLetters: { waitingBytesMax: () => 9, letterBytesMax: 9_999 },
  state: { entriesMax: 1e6, keyBytesMax: 1e9, pageBytesMax: 1e9, stateBytesMax: Infinity },
};

/** The block of an empty commit. */
function block(logId: string, commitId: string): Uint8Array {
  const task = new PartitionTask(OPTIONS);
  task.resume(0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  task.arm(Infinity);
  const context = { owner: 'me', sequence: 0, previousCommitId: '', inputPartitions: 1 };
  return task.cut({ ...context, logId, commitId }).blocks[0]!.bytes;
}

const checkpoint: StoreCheckpoint = {
  logId: 'log',
  changelogPosition: 8,
  commitHeader: block('log', 'mine'),
  liveEntries: 0,
  digest: 0,
};

describe('[R2] whether the log holds the commit that the store stands at', () => {
  test.each([
    ['found', 'log', 'mine', true],
    ['foreign', 'other', 'mine', false],
    ['lost', 'log', 'theirs', false],
  ])('%s', (stand, logId, commitId, proven) => {
    const check = new LineageCheck(checkpoint);
    expect(check.look(block(logId, commitId), 7)).toBe(stand);
    expect(check.isProven).toBe(proven);
  });

  test('what follows proves it by its chain, once applied', () => {
    const check = new LineageCheck(checkpoint);
    expect(check.look(block('log', 'next'), 9)).toBe('after');
    expect(check.isProven).toBe(false);
    check.followed();
    expect(check.isProven).toBe(true);
  });

  test('without a store there is nothing to prove', () => {
    expect(new LineageCheck(undefined).isProven).toBe(true);
  });
});
