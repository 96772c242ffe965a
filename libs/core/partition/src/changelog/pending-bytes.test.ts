import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import type { SessionEvent } from '@flatline/ports/formats';
import { OP_BIND, OP_REMOVE, OP_TOUCH } from './block-format.ts';
import { BodyReader } from './body-reader.ts';
import { NO_BATCH, PartitionTask, type TaskCut } from '../index.ts';
import { DebounceLog } from '../kinds/debounce/debounce.fixture.ts';
import { closedIn, begin, ListCursor, options, type TestRecord, text } from '../task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'l', owner: 'o', commitId: 'c', sequence: 0, previousCommitId: '', inputPartitions: 1 };
const STATE = 1_000;

/** A value is the length of the session's state, '-' for an event that says nothing of it; an event id; and a timeout. */
const decoder = {
  decode: (buffer: Uint8Array, start: number, length: number, event: SessionEvent) => {
    const [size, eventId, timeoutMs] = text(buffer.slice(start, start + length)).split(' ');
    const says = size !== '-';
    const type = says ? `T${Number(size) % 7}` : 'HEARTBEAT';
    Object.assign(event, { type, eventId: says ? eventId : undefined, occurredAt: undefined, sequence: undefined });
    event.attributes = says ? new Map([[`name${Number(size) % 3}`, 'x'.repeat(Number(size))]]) : undefined;
    event.timeoutMs = timeoutMs === undefined ? undefined : Number(timeoutMs);
    return { kind: 'event' as const };
  },
  prepare: () => Promise.resolve(),
};
const rules = { ...options().rules, maxAttributeBytes: 5_000 };
const ample = { blockBytesMax: 1e5, changelogFactor: 4, unsweptLogBytes: 1e9 };

function begun(changes: Parameters<typeof options>[0] = {}): PartitionTask {
  const task = new PartitionTask(options({ decoder, rules, changelog: ample, ...changes }));
  begin(task, 0, START);
  return task;
}

const states = (count: number, from = 0): TestRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    offset: from + i,
    timestamp: 5_000,
    key: `key-${from + i}`,
    value: `${STATE} id${i}`,
  }));

describe('what waits for a cut, in bytes', () => {
  test.each(['one by one', 'in groups'] as const)('[O6][X6] stepping pauses at the bound, read %s', (how) => {
    const records = states(200);
    const task = begun();
    task.limitCut(20_000);
    const cursor = how === 'in groups' ? new ListCursor(records, 32) : new ListCursor(records);
    const sizes: number[] = [];
    for (let done = false; !done;) {
      done = task.step(cursor, 1e6, WALL).kind === 'exhausted';
      const cut = task.cut(context);
      const written = cut.blocks.reduce((sum, block) => sum + block.bytes.length, 0);
      expect(Math.abs(cut.commitBytes - written)).toBeLessThan(0.2 * written + 300);
      sizes.push(written);
      task.settle(
        cut,
        cut.blocks.map((_, part) => 10 * sizes.length + part),
      );
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000 + 2 * STATE);
    expect(sizes.length).toBeGreaterThanOrEqual(10);
    expect(task.liveEntries).toBe(200);
  });

  test.each([1, 3])(
    '[O6] where the bound is less than one record, each has a cut of its own, read %d at a time',
    (max) => {
      const task = begun();
      task.limitCut(1);
      const cursor = new ListCursor(states(3), max);
      for (let cuts = 0; cuts < 3; cuts += 1) {
        expect(task.step(cursor, 1e6, WALL).kind).toBe('full');
        expect(task.liveEntries).toBe(cuts + 1);
        task.settle(task.cut(context), [cuts]);
      }
      expect(task.step(cursor, 1e6, WALL).kind).toBe('exhausted');
    },
  );

  test('[O6][X6] expiring pauses at the bound: summaries hold the whole state', () => {
    const task = begun();
    task.step(new ListCursor(states(500)), 1e6, WALL);
    const opened = task.cut(context);
    task.settle(
      opened,
      opened.blocks.map((_, part) => part),
    );
    task.limitCut(50_000);
    task.step(new ListCursor([{ offset: 500, timestamp: 90_000, key: 'late', value: '' }]), 1, WALL);
    let offset = 10;
    for (let more = true; more;) {
      more = task.expire(1_024, WALL);
      const cut = task.cut(context);
      const waiting = closedIn(cut).reduce((sum, { attributes }) => sum + [...attributes.values()].join('').length, 0);
      expect(waiting).toBeLessThanOrEqual(50_000 + STATE);
      task.settle(
        cut,
        cut.blocks.map(() => (offset += 1)),
      );
    }
    expect(task.liveEntries).toBe(1);
  });

  test('[X6] a session that is changed again and again counts once', () => {
    const task = begun();
    const again = Array.from({ length: 1_000 }, (_, offset) => ({
      ...states(1)[0]!,
      offset,
      value: `900 id${offset}`,
    }));
    task.step(new ListCursor(again), 1e6, WALL);
    expect(task.pendingBytes).toBeLessThan(1_300);
  });

  test('[X6][B2] an append to a long state counts for its own bytes', () => {
    const log = new DebounceLog({ rules: { maxWaitMs: 0 }, batchBytesMax: 1_000_000 });
    for (let i = 0; i < 100; i += 1) log.add(5_000, 'k', 'x'.repeat(900));
    log.commit();
    log.add(5_000, 'k', 'x'.repeat(900));
    log.take();
    expect(log.task.changelog.changedBytes).toBeGreaterThan(900);
    expect(log.task.changelog.changedBytes).toBeLessThan(1_000);
  });

  test('[X6] the sweep of a cut counts before it is cut', () => {
    const task = begun({ changelog: { ...ample, unsweptLogBytes: 1_000 } });
    task.step(new ListCursor(states(100)), 1e6, WALL);
    let [offset, blocks, swept] = [100, 0, 0];
    for (let cuts = 0; cuts < 60; cuts += 1) {
      for (let i = 0; cuts > 0 && i < 20; i += 1, offset += 1)
        task.step(
          new ListCursor([{ offset, timestamp: 5_000, key: `key-${i}`, value: `${STATE} e${offset}` }]),
          1,
          WALL,
        );
      const { pendingBytes } = task;
      const changed = task.changelog.changedBytes;
      const cut = task.cut(context);
      expect(cut.commitBytes).toBeLessThanOrEqual(pendingBytes + 2 * STATE);
      swept += Number(cut.commitBytes > 2 * changed);
      task.settle(
        cut,
        cut.blocks.map(() => (blocks += 1)),
      );
    }
    expect(swept).toBeGreaterThan(3);
  });

  test('[X6][K8] where all sessions beat, a round finds little to sweep, and little is counted for it', () => {
    const task = begun({ changelog: { ...ample, unsweptLogBytes: 1_000 } });
    let blocks = 0;
    let most = 0;
    for (let cuts = 0; cuts < 40; cuts += 1) {
      task.step(
        new ListCursor(states(100).map((record) => ({ ...record, offset: 100 * cuts + record.offset }))),
        1e6,
        WALL,
      );
      if (cuts > 0) most = Math.max(most, task.pendingBytes / task.changelog.changedBytes);
      const cut = task.cut(context);
      task.settle(
        cut,
        cut.blocks.map(() => (blocks += 1)),
      );
    }
    expect(most).toBeLessThan(1.2);
  });

  test('[O6][X6] what changes before a round begins is not written with all of its state', () => {
    const task = begun({ changelog: { ...ample, unsweptLogBytes: 1_000 } });
    task.step(new ListCursor(states(100)), 1e6, WALL);
    let [offset, blocks, bound] = [100, 0, 0];
    for (let cuts = 0; cuts < 300; cuts += 1) {
      const { pendingBytes } = task;
      const cut = task.cut(context);
      expect(cut.commitBytes).toBeLessThanOrEqual(pendingBytes + 2 * STATE);
      bound += Number(cuts > 0 && cut.commitBytes > 10 * STATE);
      // Before it is known that the commit is in the log, which is when a round begins.
      const beats = Array.from({ length: 100 }, (_, i) => ({
        offset: (offset += 1),
        timestamp: 5_000,
        key: `key-${i}`,
        value: '',
      }));
      task.step(new ListCursor(beats), 1e6, WALL);
      task.settle(
        cut,
        cut.blocks.map(() => (blocks += 1)),
      );
      expect(task.changelog.logBytes).toBeLessThanOrEqual(4 * task.changelog.liveBytes);
    }
    // There were rounds.
    expect(bound).toBeGreaterThan(1);
  });

  test('[O6][X6] a session that has changed already, and is then to be bound, weighs what is written of it', () => {
    const task = begun();
    task.step(new ListCursor(states(50)), 1e6, WALL);
    task.settle(task.cut(context), [0]);
    const say = (from: number, value: string): TestRecord[] =>
      Array.from({ length: 50 }, (_, i) => ({ offset: from + i, timestamp: 5_001, key: `key-${i}`, value }));
    task.step(new ListCursor(say(50, '')), 1e6, WALL);
    expect(task.pendingBytes).toBeLessThan(50 * 100);
    for (const from of [100, 150]) {
      task.step(new ListCursor(say(from, '- - 777')), 1e6, WALL);
      expect(task.pendingBytes).toBeGreaterThan(50 * STATE);
      expect(task.pendingBytes).toBeLessThan(50 * (STATE + 200));
    }
    expect(task.cut(context).commitBytes).toBeLessThan(50 * (STATE + 200));
  });

  test('[X6] the count is that of what is written, whatever happens to sessions', () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const random = seededRandom(seed);
      const task = begun();
      const model: Model = new Map();
      let offset = 0;
      let timestamp = 10_000;
      for (let cuts = 0; cuts < 40; cuts += 1) {
        for (let i = random.below(30); i > 0; i -= 1) {
          timestamp += random.below(200);
          const value = random.chance(0.1)
            ? null
            : random.chance(0.4)
              ? ''
              : `${random.below(300)} e${random.below(9)}`;
          task.step(new ListCursor([{ offset, timestamp, key: `k${random.below(8)}`, value }]), 1, WALL);
          if (random.chance(0.3)) task.expire(100, WALL);
          offset += 1;
        }
        const counted = task.changelog.changedBytes;
        const cut = task.cut(context);
        expect({ seed, cuts, bytes: counted }).toEqual({ seed, cuts, bytes: countOf(cut, model) });
        task.settle(
          cut,
          cut.blocks.map((_, part) => 100 * cuts + part),
        );
      }
    }
  });
});

/** By slot: bytes of the key. */
type Model = Map<number, number>;

/** The rule of changedBytes, applied to the blocks. */
function countOf({ blocks }: TaskCut, model: Model): number {
  let removals = 0;
  const overheads = new Map<number, number>();
  let pages = 0;
  for (const { bytes, bodyStart } of blocks) {
    const body = new BodyReader(bytes, bodyStart);
    const { group } = body;
    while (body.next())
      for (let i = 0; i < group.count; i += 1) {
        const [slot, kind] = [group.slots[i]!, group.kinds[i]!];
        if (kind === OP_REMOVE) removals += Number(model.delete(slot));
        else if (kind === OP_BIND) model.set(slot, group.lengths[i]!);
        else if (kind !== OP_TOUCH) pages += group.dataEnds[i]! - group.dataStarts[i]!;
        if (kind === OP_BIND || kind === OP_TOUCH) overheads.set(slot, 64);
      }
  }
  return [...overheads].reduce((sum, [slot, overhead]) => sum + overhead + model.get(slot)!, pages + 6 * removals);
}
