// Slices of work are bounded in bytes, too: some thousand entries take a millisecond each where their states are long.
import { describe, expect, test } from '@jest/globals';
import type { SessionEvent } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration } from './index.ts';
import { applyBlock, begin, ListCursor, options, text } from './task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'l', owner: 'o', commitId: 'c', sequence: 0, previousCommitId: '', inputPartitions: 1 };
const KB = 1024;

/** A value is the length of the session's state. */
const decoder = {
  decode: (buffer: Uint8Array, start: number, length: number, event: SessionEvent) => {
    const size = Number(text(buffer.slice(start, start + length)));
    Object.assign(event, { type: 'HEARTBEAT', eventId: undefined, occurredAt: undefined, sequence: undefined });
    event.attributes = new Map([['state', 'x'.repeat(size)]]);
    event.timeoutMs = undefined;
    return { kind: 'event' as const };
  },
  prepare: () => Promise.resolve(),
};
const rules = { ...options().rules, maxAttributeBytes: 2_000 * KB };
const changelog = { ...options().changelog, blockBytesMax: 256 * KB, unsweptLogBytes: 1e9 };

/** A task with so many sessions, each with a state of `bytes`, and nothing committed. */
function begun(sessions: number, bytes: number): PartitionTask {
  const task = new PartitionTask(options({ decoder, rules, changelog }));
  begin(task, 0, START);
  const records = Array.from({ length: sessions }, (_, offset) => ({
    offset,
    timestamp: 5_000,
    key: `key-${offset}`,
    value: String(bytes),
  }));
  task.step(new ListCursor(records), 1e6, 9e12);
  return task;
}

function commit(task: PartitionTask): void {
  const cut = task.cut(context);
  task.settle(
    cut,
    cut.blocks.map((_, part) => part),
  );
}

describe('where states are long', () => {
  test('[X6][K1] a slice of a cut writes so many bytes and one entry at most', () => {
    const task = begun(64, 10 * KB);
    let slices = 1;
    while (!task.prepareCut(20 * KB)) slices += 1;
    expect(slices).toBeGreaterThanOrEqual((64 * 10) / 30);
    const again = new PartitionTask(options({ decoder, rules, changelog }));
    const restoration = new Restoration(again.table, again.changelog, again.checkpoints);
    task.cut(context).blocks.forEach((block, offset) => applyBlock(restoration, block.bytes, offset));
    expect(restoration.finish()).toBeUndefined();
    expect(again.liveEntries).toBe(64);
  });

  test('[X6][K1] of one long state a slice writes some pages', () => {
    const task = begun(1, 1_800 * KB);
    let slices = 1;
    while (!task.prepareCut(20 * KB)) slices += 1;
    expect(slices).toBeGreaterThanOrEqual(1_800 / (20 + 256 + 16));
    const again = new PartitionTask(options({ decoder, rules, changelog }));
    const restoration = new Restoration(again.table, again.changelog, again.checkpoints);
    task.cut(context).blocks.forEach((block, offset) => applyBlock(restoration, block.bytes, offset));
    expect(restoration.finish()).toBeUndefined();
    expect(again.liveEntries).toBe(1);
  });

  test('[X6] a slice of a flush copies half a megabyte and one row at most', () => {
    const task = begun(32, 200 * KB);
    commit(task);
    const flush = task.checkpoints.flush(4_000)!;
    const slices: number[] = [];
    for (let slice = flush.next(); slice.done !== true; slice = flush.next())
      slices.push(slice.value.changes.puts.reduce((sum, { imageLength }) => sum + imageLength, 0));
    expect(Math.max(...slices)).toBeLessThanOrEqual((512 + 201) * KB);
    expect(slices.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(32 * 200 * KB);
  });

  test('[X6][R1] digests of what was read are made up in several slices', () => {
    const cut = begun(32, 400 * KB).cut(context);
    const again = new PartitionTask(options({ decoder, rules, changelog }));
    const restoration = new Restoration(again.table, again.changelog, again.checkpoints);
    cut.blocks.forEach((block, offset) => applyBlock(restoration, block.bytes, offset));
    let slices = 1;
    while (!restoration.digest(1_000)) slices += 1;
    expect(slices).toBeGreaterThanOrEqual((32 * 400) / (4 * KB + 400));
    expect(restoration.finish()).toBeUndefined();
  });
});
