// A cut made in slices, beside one made at once.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { NO_BATCH, PartitionTask, type TaskCut } from '../index.ts';
import { begin, ListCursor, options, type TestRecord, workload } from '../task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const WALL = 9e12;
const SEEDS = Number(process.env['SEEDS'] ?? 25);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

function begun(): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  return task;
}

function cutOf(task: PartitionTask, sequence: number): TaskCut {
  const previousCommitId = sequence === 0 ? '' : `c-${sequence - 1}`;
  const ids = { logId: 'log', owner: 'me', commitId: `c-${sequence}`, previousCommitId, inputPartitions: 1 };
  return task.cut({ ...ids, sequence });
}

const contents = ({ blocks, removed, header, outputs, position }: TaskCut): object => ({
  header,
  position,
  blocks: blocks.map(({ bytes, slots }) => ({ bytes: [...bytes], slots: [...slots] })),
  removed,
  outputs: [...outputs],
});

describe('a cut in slices', () => {
  test(`[K1][K8] has the bytes of one made at once, swept images too (${SEEDS} seeds)`, () => {
    let slices = 0;
    let swept = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      const random = seededRandom(seed);
      const records = workload({ seed, keys: 80, records: 2_000, maxGapMs: 5 });
      const [atOnce, sliced] = [begun(), begun()];
      for (let from = 0, sequence = 0, offset = 0; from < records.length; sequence += 1) {
        const to = from + 1 + random.below(150);
        for (const task of [atOnce, sliced]) {
          task.step(new ListCursor(records.slice(from, to)), 1e6, WALL);
          while (task.expire(100, WALL));
        }
        from = to;
        const changes = atOnce.changelog.pendingChanges;
        const expected = cutOf(atOnce, sequence);
        while (!sliced.prepareCut(1 + random.below(200))) slices += 1;
        const cut = cutOf(sliced, sequence);
        try {
          expect(contents(cut)).toEqual(contents(expected));
        } catch (error) {
          (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
          throw error;
        }
        const images = cut.blocks.reduce((sum, { slots }) => sum + slots.length, 0);
        swept += images + cut.removed.length - changes;
        const offsets = cut.blocks.map(() => (offset += 1));
        atOnce.settle(expected, offsets);
        sliced.settle(cut, offsets);
      }
    }
    // The test would prove nothing otherwise.
    expect(slices).toBeGreaterThan(SEEDS * 10);
    expect(swept).toBeGreaterThan(SEEDS * 10);
  });

  test('[K1] PT3 is of one moment: nothing is stepped or expired before it is made', () => {
    const at = (offset: number, key: string, timestamp = 5_000): TestRecord => ({ offset, timestamp, key, value: '' });
    const task = begun();
    task.step(new ListCursor([at(0, 'a'), at(1, 'b'), at(2, 'late', 5_999), at(3, 'later', 6_000)]), 10, WALL);
    expect(task.prepareCut(1)).toBe(false);
    const cursor = new ListCursor([at(4, 'a', 6_000), at(5, 'b', 6_000)]);
    expect(task.step(cursor, 10, WALL).kind).toBe('full');
    task.expire(10, WALL);
    expect([task.isFull, task.hasUncut, task.input.position, task.liveEntries]).toEqual([true, true, 4, 4]);
    while (!task.prepareCut(1));
    expect(task.step(cursor, 10, WALL).kind).toBe('full');
    const cut = cutOf(task, 0);
    expect([cut.position, cut.header.liveEntries, cut.outputs.packed.length, task.isFull]).toEqual([4, 4, 0, false]);
    task.settle(cut, [0]);
    expect(task.step(cursor, 10, WALL).kind).toBe('exhausted');
  });
});
