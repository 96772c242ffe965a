// Workers over simulated logs: what one knows that begins after others have ended.
import type { Clock, DurationMs } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import type { KeyedRecord } from '@flatline/kafka';
import type { RecordHeader } from '@flatline/ports';
import { describe, expect, test } from '@jest/globals';
import { type TaskPorts, workOver } from './tasks-over.ts';
import { SentSchedules } from './sent-schedules.ts';
import { outcomeIn, type TaskOutcome } from './task-outcome.ts';
import type { TaskRetries } from './task-rules.ts';

const utf8 = new TextEncoder();
const RESULTS = 'due.results';

interface Worker {
  readonly name: string;
  /** The run that it is given, at an offset of the topic, with headers of a retry or none. */
  readonly at: number;
  readonly headers?: readonly RecordHeader[];
  readonly scheduleId?: string;
  readonly handler: () => unknown;
  readonly retries?: TaskRetries;
  /** Dies before an outcome is in the log. */
  readonly isMute?: boolean;
  /** Its clock is ahead by so much. */
  readonly aheadMs?: DurationMs;
}

class Shop {
  readonly simulation = new Simulation({ seed: 1 });
  readonly begun: string[] = [];
  /** Records that have an attempt come later. */
  readonly later: KeyedRecord[] = [];
  readonly recorded: TaskOutcome[] = [];

  constructor() {
    this.simulation.log.createTopic(RESULTS, { partitions: 1 });
  }

  /** It is killed once it has done what it can in five seconds. */
  async work(worker: Worker): Promise<void> {
    const { name, handler, retries } = worker;
    const { time } = this.simulation;
    const { host, ports } = this.simulation.start(name);
    const { reader, admin } = ports;
    const { lastStableOffset: end } = await time.complete(admin.ends({ topic: RESULTS, partition: 0 }));
    const writer = ports.acknowledged(RESULTS);
    const write = (record: KeyedRecord): ReturnType<typeof writer.write> => {
      if (worker.isMute === true) return new Promise(() => undefined);
      this.recorded.push(outcomeIn(record.value)!);
      return writer.write(record);
    };
    const keep = (record: KeyedRecord): Promise<undefined> => {
      this.later.push(record);
      return Promise.resolve(undefined);
    };
    const clock: Clock = {
      wallMs: () => ports.clock.wallMs() + (worker.aheadMs ?? 0),
      monotonicMs: () => ports.clock.monotonicMs(),
      after: (delayMs, callback) => ports.clock.after(delayMs, callback),
    };
    const working = workOver(
      {
        runs: 'due',
        group: 'g',
        worker: name,
        ...(retries && { retries }),
        handler: ({ id, attempt }) => {
          this.begun.push(`${name} ${id}/${attempt}`);
          return handler();
        },
      },
      {
        clock,
        outputs: given(worker),
        reader,
        admin,
        ends: [{ partition: 0, end }],
        outcomes: { write },
        later:
          retries?.schedules === undefined
            ? undefined
            : new SentSchedules({ clock, topic: 's', writer: { write: keep, close: () => Promise.resolve() } }),
        leases: undefined,
        signal: new AbortController().signal,
      },
    );
    working.catch((error: unknown) => {
      this.begun.push(String(error));
    });
    await time.runFor(5_000);
    host.kill();
  }
}

function given({ at, headers = [], scheduleId }: Worker): TaskPorts['outputs'] {
  const key = utf8.encode('k');
  const value = utf8.encode('v');
  const run = { schedule: '0-7', scheduleId, number: 1, dueAt: 5, value, headers };
  const output = { kind: 'run', id: 'due:0-7/1', key, keyText: 'k', run };
  const raw = { partition: 0, offset: at, timestamp: 0, key, value, headers };
  return async function* () {
    yield await Promise.resolve({ output, raw });
  } as unknown as TaskPorts['outputs'];
}

const fail = (): never => {
  throw new Error('no');
};

describe('a worker that begins after others', () => {
  test.each([30_000, 3_600_000])(
    '[T2] does not make an attempt that came after a pause of %s ms to a task that is done meanwhile',
    async (firstMs) => {
      const shop = new Shop();
      const retries = { schedules: 's', firstMs };
      await shop.work({ name: 'a', at: 3, handler: fail, retries, isMute: true });
      await shop.work({ name: 'b', at: 3, handler: () => 'done', retries });
      // More than what is read in any case.
      for (let i = 0; i < 10_000; i += 1) shop.simulation.log.produce(RESULTS, 0, { key: 'other', value: '{}' });
      await shop.simulation.time.runFor(firstMs - 10_000);
      const headers = shop.later[0]!.headers!.filter(({ name }) => !name.startsWith('flatline-'));
      await shop.work({ name: 'c', at: 4, headers, scheduleId: 'due/0-3/2', handler: () => 'again', retries });
      expect(shop.begun).toEqual(['a 0-3/1', 'b 0-3/1']);
    },
  );

  test.each([-120_000, 0, 120_000])(
    '[T2] knows what was done before, with a clock that is %s ms ahead',
    async (aheadMs) => {
      const shop = new Shop();
      await shop.work({ name: 'a', at: 3, handler: () => 'done' });
      await shop.work({ name: 'b', at: 3, handler: () => 'again', aheadMs });
      expect(shop.begun).toEqual(['a 0-3/1']);
    },
  );

  test('[T3] goes on counting attempts where each worker ends while it waits for the next', async () => {
    const shop = new Shop();
    for (const name of ['a', 'b', 'c'])
      await shop.work({ name, at: 3, handler: fail, retries: { attempts: 3, firstMs: 4_000 } });
    expect(shop.recorded.map(({ state, attempt }) => `${state} ${attempt}`)).toEqual([
      'FAILED 1',
      'FAILED 2',
      'POISON 3',
    ]);
  });
});
