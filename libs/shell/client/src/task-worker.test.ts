// Tasks in virtual time: attempts, leases, time limits, retries, and what is recorded.
import { Misconfigured } from '@flatline/base';
import { RecordTooLarge } from '@flatline/kafka';
import { BadInput } from '@flatline/records';
import { describe, expect, test } from '@jest/globals';
import type { Known } from './finished-tasks.ts';
import { LeaseLost } from './leadership.ts';
import { World } from './leases-world.fixture.ts';
import { finishedUpTo, type TaskOutcome } from './task-outcome.ts';
import { afterFailure, type TaskRetries } from './task-rules.ts';
import { workOff } from './task-worker.ts';
import { type Task, TaskTimedOut, type Work } from './task.ts';
import type { Trouble } from './trouble.ts';

const utf8 = new TextEncoder();
const work = (id: string, attempt = 1): Work => ({
  id,
  key: utf8.encode('k'),
  keyText: 'k',
  value: utf8.encode('do it'),
  headers: [],
  dueAt: 7,
  attempt,
  batch: undefined,
});

/** A worker whose outcomes and later attempts are kept. */
class Shop {
  readonly world = new World();
  readonly ending = new AbortController();
  readonly recorded: TaskOutcome[] = [];
  readonly later: (readonly [attempt: number, afterMs: number])[] = [];
  readonly finished = new Set<string>();
  /** Ids of works asked for. */
  readonly asked: string[] = [];
  readonly told: Trouble[] = [];
  isFull = false;
  /** A task's standing by another's last record. */
  before: Known = undefined;
  /** Refuses a retry with this. */
  refusal: Error | undefined;
  /** Resolves once results were read. */
  reading: Promise<unknown> = Promise.resolve();
  /** Resolves once an outcome is in the log. */
  recording: Promise<unknown> = Promise.resolve();

  run(
    works: readonly Work[],
    handler: (task: Task) => unknown,
    options: { timeoutMs?: number; retries?: TaskRetries; isLeased?: boolean; waits?: boolean } = {},
  ): Promise<void> {
    const { timeoutMs, retries, isLeased = false, waits = false } = options;
    const { world, asked } = this;
    async function* given(): AsyncGenerator<Work, void> {
      for (const each of works) {
        asked.push(each.id);
        yield await Promise.resolve(each);
      }
    }
    return workOff(given(), {
      clock: world.clock,
      handler,
      timeoutMs,
      retries,
      leases: isLeased ? { acquire: (id, wish = {}) => world.leases.acquire(id, wish) } : undefined,
      leaseIdOf: (id) => id,
      known: async (id, attempt) => {
        await this.reading;
        const isFinished =
          this.finished.has(id) || this.recorded.some((each) => each.id === id && attempt <= finishedUpTo(each));
        return isFinished ? 'finished' : this.before;
      },
      onTrouble: (trouble) => this.told.push(trouble),
      signal: this.ending.signal,
      name: 'w',
      record: async (outcome) => {
        await this.recording;
        if (this.isFull && (outcome.result !== undefined || outcome.valueBase64 !== undefined))
          throw new RecordTooLarge('too large');
        this.recorded.push(outcome);
      },
      later: waits
        ? undefined
        : ({ attempt }, afterMs) => {
            if (this.refusal !== undefined) return Promise.reject(this.refusal);
            this.later.push([attempt, afterMs]);
            return Promise.resolve();
          },
    });
  }

  pass(ms: number): Promise<void> {
    return this.world.simulation.time.runFor(ms);
  }
}

const fail = (): never => {
  throw new Error('no');
};

/** Returns once it is told to. */
const hang = ({ signal }: Task): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
  });

describe('an attempt that is done', () => {
  test('[T1] is recorded with its result before the next is asked for', async () => {
    const shop = new Shop();
    const seen: string[] = [];
    await shop.run([work('a'), work('b')], ({ id }) => {
      seen.push(`${id} after ${shop.recorded.length}, asked ${shop.asked.join()}`);
      return { of: id };
    });
    expect(seen).toEqual(['a after 0, asked a', 'b after 1, asked a,b']);
    expect(shop.recorded).toMatchObject([
      { id: 'a', key: 'k', state: 'DONE', attempt: 1, dueAt: 7, worker: 'w', result: { of: 'a' } },
      { id: 'b', state: 'DONE', result: { of: 'b' } },
    ]);
  });

  test.each([
    ['nothing', undefined, null],
    ['what JSON has not', 1n, { unwritable: expect.stringContaining('BigInt') }],
  ])('[T1] with %s is done all the same', async (_what, result, recorded) => {
    const shop = new Shop();
    await shop.run([work('a')], () => result);
    expect(shop.recorded).toMatchObject([{ state: 'DONE', result: recorded }]);
  });

  test('[T1] with a result that the topic does not take is recorded without', async () => {
    const shop = new Shop();
    shop.isFull = true;
    await shop.run([work('a')], () => 'much');
    expect(shop.recorded).toMatchObject([{ state: 'DONE', error: expect.stringContaining('left out') }]);
    expect(shop.recorded[0]).not.toHaveProperty('result');
  });
});

describe('an attempt that fails', () => {
  test('[T3] comes again by a schedule, and leaves the worker free for the next', async () => {
    const shop = new Shop();
    await shop.run([work('a'), work('b')], ({ id }) => (id === 'a' ? fail() : 1));
    expect(shop.later).toEqual([[2, 10_000]]);
    expect(shop.recorded).toMatchObject([
      { id: 'a', state: 'FAILED', attempt: 1, error: 'no', retryAt: expect.any(Number) },
      { id: 'b', state: 'DONE' },
    ]);
  });

  test('[T3] is poison after the last, with its message, or without where that is too large', async () => {
    const shop = new Shop();
    await shop.run([work('a', 3)], fail, { retries: { attempts: 3 } });
    shop.isFull = true;
    await shop.run([work('b', 3)], fail, { retries: { attempts: 3 } });
    expect(shop.later).toEqual([]);
    expect(shop.recorded).toMatchObject([
      { id: 'a', state: 'POISON', attempt: 3, valueBase64: Buffer.from('do it').toString('base64') },
      { id: 'b', state: 'POISON' },
    ]);
    expect(shop.recorded[1]).not.toHaveProperty('valueBase64');
  });

  test('[T3] waits with the worker where there are no schedules', async () => {
    const shop = new Shop();
    const attempts: number[] = [];
    const running = shop.run([work('a')], ({ attempt }) => (attempts.push(attempt) < 3 ? fail() : 1), { waits: true });
    await shop.pass(9_999);
    expect(attempts).toEqual([1]);
    await shop.pass(1);
    expect(attempts).toEqual([1, 2]);
    await shop.pass(20_000);
    await running;
    expect(shop.recorded.map(({ state, attempt }) => [state, attempt])).toEqual([
      ['FAILED', 1],
      ['FAILED', 2],
      ['DONE', 3],
    ]);
  });

  test.each([
    ['too large for its topic', new RecordTooLarge('too large')],
    ['none that a pipeline takes', new BadInput('invalid-header', 'too large')],
  ])('[T3] is poison where its retry is %s, and the worker goes on', async (_what, refusal) => {
    const shop = new Shop();
    shop.refusal = refusal;
    await shop.run([work('a'), work('b')], ({ id }) => (id === 'a' ? fail() : 1));
    expect(shop.recorded).toMatchObject([
      { id: 'a', state: 'POISON', error: 'no; it cannot be tried again: too large' },
      { id: 'b', state: 'DONE' },
    ]);
  });

  test('[T3] goes on with the attempt for which a worker waited that has ended, once its time has come', async () => {
    const shop = new Shop();
    shop.before = { attempt: 4, retryAt: shop.world.clock.wallMs() + 30_000 };
    const begun: unknown[] = [];
    const running = shop.run([work('a')], ({ attempt }) => begun.push([attempt, shop.world.clock.monotonicMs()]), {
      waits: true,
    });
    const from = shop.world.clock.monotonicMs();
    await shop.pass(29_999);
    expect(begun).toEqual([]);
    shop.before = undefined;
    await shop.pass(1);
    await running;
    expect(begun).toEqual([[4, from + 30_000]]);
    expect(shop.recorded).toMatchObject([{ state: 'DONE', attempt: 4 }]);
  });

  test('[T3] waits no longer than the longest pause for another, whose clock may be wrong', async () => {
    const shop = new Shop();
    shop.before = { attempt: 2, retryAt: Infinity };
    const running = shop.run([work('a')], () => 1, { waits: true, retries: { attempts: 3, firstMs: 1_000 } });
    await shop.pass(1);
    shop.before = undefined;
    await shop.pass(2_000);
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'DONE', attempt: 2 }]);
  });

  test('[T3] is the later the more have failed, up to the longest pause', () => {
    expect(afterFailure(2, { firstMs: '1m', mostMs: '90s' })).toEqual({ kind: 'retry', afterMs: 90_000 });
    const after = (attempt: number): unknown => afterFailure(attempt, { attempts: 2_000, firstMs: 100, mostMs: 450 });
    expect([1, 2, 3, 4, 1_999].map(after)).toEqual(
      [100, 200, 400, 450, 450].map((afterMs) => ({ kind: 'retry', afterMs })),
    );
    expect(afterFailure(5)).toEqual({ kind: 'poison' });
  });

  test('[T3] has failed at its time limit, though its handler never returns', async () => {
    const shop = new Shop();
    const reasons: unknown[] = [];
    const running = shop.run(
      [work('a')],
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => reasons.push(signal.reason));
        }),
      { timeoutMs: 5_000 },
    );
    await shop.pass(4_999);
    expect(reasons).toEqual([]);
    await shop.pass(1);
    expect(reasons).toEqual([new TaskTimedOut('a', 5_000)]);
    await shop.pass(1_000);
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'FAILED', error: 'the task a was not done within 5000 ms' }]);
    expect(shop.later).toEqual([[2, 10_000]]);
  });

  test.each([
    ['returns', () => 'late'],
    ['throws', fail],
  ])('[T3] has failed at its time limit, though its handler %s shortly after', async (_what, end) => {
    const shop = new Shop();
    const running = shop.run(
      [work('a')],
      async () => {
        await new Promise<void>((resolve) => shop.world.clock.after(5_900, resolve));
        return end();
      },
      { timeoutMs: 5_000 },
    );
    await shop.pass(6_000);
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'FAILED', error: 'the task a was not done within 5000 ms' }]);
  });
});

test('[T3] an attempt has failed at its limit where its process stood still until then, though its handler goes on first', async () => {
  const shop = new Shop();
  const { clock, host } = shop.world;
  const handler = (): Promise<unknown> =>
    new Promise((resolve) =>
      clock.after(1_000, () => {
        resolve('late');
      }),
    );
  const running = shop.run([work('a')], handler, { timeoutMs: 5_000 });
  await shop.pass(500);
  host.pause();
  await shop.pass(10_000);
  host.resume();
  await shop.pass(2_000);
  await running;
  expect(shop.recorded).toMatchObject([{ state: 'FAILED', error: 'the task a was not done within 5000 ms' }]);
});

describe('under a lease', () => {
  test('[T2] a task has its token, and gives it back; another begins only once it has one of its own', async () => {
    const shop = new Shop();
    const tokens: unknown[] = [];
    const running = shop.run([work('a')], ({ token, isHeld }) => tokens.push([token, isHeld]), { isLeased: true });
    await shop.pass(500);
    expect([tokens, shop.world.said]).toEqual([[], ['start r0']]);
    await shop.world.grant(7, 'r0');
    await running;
    expect(tokens).toEqual([[7, true]]);
    expect(shop.recorded).toMatchObject([{ state: 'DONE', token: 7 }]);
    expect(shop.world.said.at(-1)).toBe('end 7');
  });

  test('[T2] that is over is told, counts for nothing, and the task is begun again under another', async () => {
    const shop = new Shop();
    const { world } = shop;
    const seen: unknown[] = [];
    const running = shop.run(
      [work('a')],
      async ({ token, signal }) => {
        if (token === 9) return 'second';
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        seen.push(signal.reason);
        return 'first';
      },
      { isLeased: true },
    );
    await world.grant(7, 'r0');
    await world.answer('EXPIRED', { token: 7, requestId: 'r0', reason: 'EVICTED' });
    expect(seen).toEqual([new LeaseLost('a', 'EVICTED')]);
    expect(shop.recorded).toEqual([]);
    await world.grant(9, 'r1');
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'DONE', attempt: 1, token: 9, result: 'second' }]);
  });

  test('[T2] whose outcome another has recorded meanwhile is not begun again', async () => {
    const shop = new Shop();
    shop.finished.add('a');
    const running = shop.run([work('a')], fail, { isLeased: true });
    await shop.world.grant(7, 'r0');
    await running;
    expect([shop.recorded, shop.later, shop.world.said.at(-1)]).toEqual([[], [], 'end 7']);
  });

  test('[T2] that is refused is asked for again', async () => {
    const shop = new Shop();
    const { world } = shop;
    const running = shop.run([work('a')], () => 1, { isLeased: true });
    await shop.pass(100);
    await world.answer('REJECTED', { requestId: 'r0', reason: 'HELD' });
    await shop.pass(1_000);
    await world.grant(8, 'r1');
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'DONE', token: 8 }]);
  });
});

describe('a lease and what is recorded', () => {
  test('[T2] it is given back only once the outcome is in the log', async () => {
    const shop = new Shop();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    shop.recording = promise;
    const running = shop.run([work('a')], () => 1, { isLeased: true });
    await shop.world.grant(7, 'r0');
    expect(shop.world.said).not.toContain('end 7');
    resolve(undefined);
    await running;
    expect([shop.recorded.length, shop.world.said.at(-1)]).toEqual([1, 'end 7']);
  });

  test('[T2] it is not given back where answers fail while the outcome is on its way: it expires', async () => {
    const shop = new Shop();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    shop.recording = promise;
    const running = shop.run([work('a')], () => 1, { isLeased: true });
    await shop.world.grant(7, 'r0');
    shop.world.leases.fail(new Error('the answers are read no more'));
    resolve(undefined);
    await running;
    expect([shop.recorded.length, shop.world.said.filter((each) => each.startsWith('end'))]).toEqual([1, []]);
  });

  test.each([
    ['a schedule', false, []],
    ['the worker that waits', true, ['again']],
  ])('[T2] who gets it after an attempt that failed, tried again by %s', async (_by, waits, begun) => {
    const shop = new Shop();
    const { world } = shop;
    const seen: string[] = [];
    void shop.run([work('a')], fail, { isLeased: true, waits });
    await world.grant(7, 'r0');
    const second = shop.run([work('a')], () => seen.push('again'), { isLeased: true });
    await world.grant(8, 'r1');
    await second;
    expect(seen).toEqual(begun);
    shop.ending.abort();
  });

  test('[T2] one that is over by the time results were read begins nothing', async () => {
    const shop = new Shop();
    const { world } = shop;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    shop.reading = promise;
    const tokens: unknown[] = [];
    const running = shop.run([work('a')], ({ token }) => tokens.push(token), { isLeased: true });
    await world.grant(7, 'r0');
    await world.answer('EXPIRED', { token: 7, requestId: 'r0', reason: 'EVICTED' });
    resolve(undefined);
    await world.grant(9, 'r1');
    await running;
    expect(tokens).toEqual([9]);
    expect(shop.told).toMatchObject([{ kind: 'task', id: 'a', message: expect.stringContaining('EVICTED') }]);
  });

  test('[T2] lost as often as there are attempts, it is a failed attempt', async () => {
    const shop = new Shop();
    const { world } = shop;
    const running = shop.run([work('a')], hang, { isLeased: true, retries: { attempts: 2 } });
    for (const [token, requestId] of [
      [7, 'r0'],
      [8, 'r1'],
    ] as const) {
      await world.grant(token, requestId);
      await world.answer('EXPIRED', { token, requestId, reason: 'EVICTED' });
    }
    await running;
    expect(shop.recorded).toMatchObject([{ state: 'FAILED', token: 8, error: expect.stringContaining('EVICTED') }]);
    expect([shop.later, shop.told.length]).toEqual([[[2, 10_000]], 2]);
  });

  test('[T2] lost to one who has recorded the end meanwhile, it leaves that as it is', async () => {
    const shop = new Shop();
    const { world } = shop;
    const running = shop.run([work('a')], hang, { isLeased: true, retries: { attempts: 1 } });
    await world.grant(7, 'r0');
    shop.finished.add('a');
    await world.answer('EXPIRED', { token: 7, requestId: 'r0', reason: 'EVICTED' });
    await running;
    expect(shop.recorded).toEqual([]);
  });

  test('[T2] one that is replaced ends the worker, in words that say what to set', async () => {
    const shop = new Shop();
    const { world } = shop;
    const running = shop.run([work('a')], hang, { isLeased: true });
    const refused = expect(running).rejects.toThrow(Misconfigured);
    await world.grant(7, 'r0');
    await world.answer('EXPIRED', { token: 7, requestId: 'r0', reason: 'REPLACED' });
    await refused;
    await expect(running).rejects.toThrow('use onConflict queue or reject');
  });
});

describe('a worker that ends', () => {
  test('[T1] waits for no results', async () => {
    const shop = new Shop();
    shop.reading = new Promise(() => undefined);
    const running = shop.run([work('a')], fail);
    await shop.pass(100);
    shop.ending.abort();
    await running;
    expect(shop.recorded).toEqual([]);
  });

  test('[T1] tells its handler, records nothing of what that throws, and asks for no more', async () => {
    const shop = new Shop();
    const running = shop.run([work('a'), work('b')], async ({ signal }) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      throw new Error('broken off');
    });
    await shop.pass(10);
    shop.ending.abort();
    await running;
    expect([shop.recorded, shop.later, shop.asked]).toEqual([[], [], ['a']]);
  });

  test('[T1] records what is done all the same', async () => {
    const shop = new Shop();
    await shop.run([work('a')], () => {
      shop.ending.abort();
      return 1;
    });
    expect(shop.recorded).toMatchObject([{ id: 'a', state: 'DONE' }]);
  });

  test('[T1] leaves the queue of a lease', async () => {
    const shop = new Shop();
    const running = shop.run([work('a')], fail, { isLeased: true });
    await shop.pass(100);
    shop.ending.abort();
    await running;
    expect([shop.recorded, shop.world.said]).toEqual([[], ['start r0', 'end r0']]);
  });
});
