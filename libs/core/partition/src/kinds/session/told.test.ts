// Words about live sessions, and about those with more events than anybody sends.
import { describe, expect, test } from '@jest/globals';
import type { EventDecoder, SessionSummary } from '@flatline/ports/formats';
import { resetEvent } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration } from '../../index.ts';
import { applyBlock, begin, closedIn, ListCursor, options, type TestRecord, text } from '../../task.fixture.ts';

const WALL = 9e12;
const T = 1_000_000;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

/** A value is the event's type, as text. */
const decoder: EventDecoder = {
  decode: (bytes, start, length, event) => {
    resetEvent(event);
    event.type = text(bytes.subarray(start, start + length));
    event.attributes = new Map([['last', event.type]]);
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};

type Rules = Partial<ReturnType<typeof options>['rules']>;

/** A task, and all that it has said. */
class Told {
  readonly blocks: Uint8Array[] = [];
  readonly said: SessionSummary[] = [];
  tombstones = 0;
  #task: PartitionTask;
  #offset = 0;

  constructor(rules: Rules) {
    this.#task = taskOf(rules);
    begin(this.#task, 0, START);
  }

  get counters(): Readonly<Record<string, number>> {
    return this.#task.counters;
  }

  /** Takes records at so many milliseconds after T, and commits. */
  take(...records: readonly (readonly [after: number, key: string, value: string | null])[]): this {
    const taken = records.map(([after, key, value]): TestRecord => {
      const offset = this.#offset;
      this.#offset += 1;
      return { offset, timestamp: T + after, key, value };
    });
    this.#task.step(new ListCursor(taken), 1e6, WALL);
    while (this.#task.expire(100, WALL));
    this.#commit();
    return this;
  }

  /** Another task, by other rules, restores what is committed. */
  restart(rules: Rules): this {
    const task = taskOf(rules);
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => applyBlock(restoration, block, offset));
    expect(restoration.finish()).toBeUndefined();
    const last = restoration.last!;
    begin(task, last.clock, last.inputs[0]!, last);
    this.#task = task;
    return this;
  }

  /** All that was said of a key: state, when it was last seen, how many events. */
  of(key: string): readonly string[] {
    return this.said
      .filter((each) => text(each.key) === key)
      .map((each) => `${each.state} ${each.lastSeenAt - T} ${each.eventCount}`);
  }

  #commit(): void {
    const sequence = this.blocks.length;
    const names = { logId: 'log', owner: 'me', commitId: `run-${sequence}`, sequence, inputPartitions: 4 };
    const cut = this.#task.cut({ ...names, previousCommitId: sequence === 0 ? '' : `run-${sequence - 1}` });
    this.said.push(...closedIn(cut));
    this.tombstones += [...cut.outputs].filter(({ value }) => value === null).length;
    const first = this.blocks.length;
    expect(cut.blocks).toHaveLength(1);
    this.blocks.push(cut.blocks[0]!.bytes.slice());
    this.#task.settle(cut, [first]);
  }
}

function taskOf(rules: Rules): PartitionTask {
  const all = options();
  return new PartitionTask(
    options({ decoder, rules: { ...all.rules, ...rules }, changelog: { ...all.changelog, blockBytesMax: 65_536 } }),
  );
}

describe('what is said of a live session', () => {
  test('[S11] its opening comes with the commit that opens it, with what its first event says, and nothing follows it', () => {
    const told = new Told({ sayOpened: true }).take([0, 'a', ''], [0, 'b', 'VIEW'], [10, 'a', '']);
    expect(told.said).toMatchObject([
      { state: 'OPENED', reason: '', incarnation: '0-0', eventCount: 1, closedAt: T, deadlineAt: T + 1_000 },
      { state: 'OPENED', incarnation: '0-1', attributes: new Map([['last', 'VIEW']]) },
    ]);
    expect(told.tombstones).toBe(0);
    told.take([2_000, 'b', null]);
    expect(told.of('a')).toEqual(['OPENED 0 1', 'CLOSED 10 2']);
    expect(told.tombstones).toBe(2);
  });

  test('[S11] an end without a session opens none; a session that opens again is told of again', () => {
    const told = new Told({ sayOpened: true }).take([0, 'a', null], [10, 'a', ''], [20, 'a', null], [30, 'a', '']);
    expect(told.of('a')).toEqual(['OPENED 10 1', 'CLOSED 20 2', 'OPENED 30 1']);
  });

  test('[S11] an update comes with a touch only, and never sooner than the interval after what was said before', () => {
    const told = new Told({ updateIntervalMs: 300 });
    told.take([0, 'a', ''], [299, 'a', ''], [301, 'a', 'VIEW'], [599, 'a', ''], [600, 'a', ''], [601, 'a', '']);
    told.take([1_500, 'b', ''], [2_400, 'b', '']);
    expect(told.of('a')).toEqual(['UPDATED 301 3', 'UPDATED 601 6', 'CLOSED 601 6']);
    expect(told.of('b')).toEqual(['UPDATED 2400 2']);
  });

  test('[S11] the end is no update', () => {
    const told = new Told({ updateIntervalMs: 300 }).take([0, 'a', ''], [900, 'a', null]);
    expect(told.of('a')).toEqual(['CLOSED 900 2']);
  });

  test('[S11][R1] a restart changes nothing of when updates come', () => {
    const rules = { updateIntervalMs: 300, sayOpened: true };
    const through = new Told(rules);
    const restarted = new Told(rules);
    for (let after = 0; after < 3_000; after += 70) {
      const records = [[after, `k${after % 3}`, after % 4 === 0 ? 'VIEW' : ''] as const, [after, 'beats', ''] as const];
      through.take(...records);
      restarted.take(...records).restart(rules);
    }
    expect(restarted.said).toEqual(through.said);
    expect(through.of('beats').filter((each) => each.startsWith('UPDATED'))).toHaveLength(8);
  });

  test('[S11][I7] sessions of before need no room for it: one update in each span since they opened; without updates, no more', () => {
    const told = new Told({}).take([0, 'a', ''], [0, 'b', 'VIEW']);
    told.restart({ updateIntervalMs: 300 });
    told.take([100, 'a', ''], [350, 'a', ''], [360, 'b', ''], [500, 'b', ''], [610, 'a', ''], [620, 'a', '']);
    expect([told.of('a'), told.of('b')]).toEqual([['UPDATED 350 3', 'UPDATED 610 4'], ['UPDATED 360 2']]);
    told.restart({}).take([900, 'a', ''], [910, 'b', '']);
    expect(told.said).toHaveLength(3);
  });
});

describe('a session of many events', () => {
  test('[S13] what comes beyond maxEvents is a bare heartbeat: counted, activity, and nothing else', () => {
    const told = new Told({ maxEvents: 3 });
    told.take([0, 'a', 'A'], [100, 'a', 'B'], [200, 'a', 'C'], [900, 'a', 'D'], [1_800, 'a', ''], [5_000, 'b', '']);
    expect(told.said).toMatchObject([
      {
        capped: true,
        eventCount: 5,
        lastSeenAt: T + 1_800,
        countsByType: new Map(Object.entries({ HEARTBEAT: 2, A: 1, B: 1, C: 1 })),
        attributes: new Map([['last', 'C']]),
      },
    ]);
    expect(told.counters['cappedSessions']).toBe(1);
  });

  test('[S13] an end behind so many events is taken, and caps nothing', () => {
    const told = new Told({ maxEvents: 2 }).take([0, 'a', 'A'], [1, 'a', 'B'], [2, 'a', null]);
    told.take([0, 'b', 'A'], [1, 'b', 'B'], [2, 'b', 'C'], [3, 'b', null]);
    expect(told.said.map(({ key, capped, eventCount }) => [text(key), capped, eventCount])).toEqual([
      ['a', false, 3],
      ['b', true, 4],
    ]);
  });

  test('[S13] so many and no more are not capped; an end ends', () => {
    const told = new Told({ maxEvents: 3 });
    told.take([0, 'a', 'A'], [1, 'a', 'B'], [2, 'a', 'C'], [3, 'b', 'A'], [4_000, 'c', 'A'], [4_001, 'c', null]);
    expect(told.said.map(({ key, capped, reason }) => `${text(key)} ${reason} ${capped}`).sort()).toEqual([
      'a TIMEOUT false',
      'b TIMEOUT false',
      'c ENDED false',
    ]);
    expect(told.counters).toMatchObject({ cappedSessions: 0, zeroLengthSessions: 1 });
  });
});
