import { describe, expect, test } from '@jest/globals';
import type { DurationMs } from '@flatline/base';
import { type EventDecoder, resetEvent } from '@flatline/ports/formats';
import { ProcessShare } from '../instance/process-share.ts';
import {
  EVICTED_TURN_MAX,
  EVICTING_TASKS_AT_ONCE,
  EVICTION_PAUSE_MAX_MS,
  EVICTION_PAUSE_MS,
  TASK_BOUNDS,
} from '../limits.ts';
import { FREQUENT_FLUSHES, INPUT, OUTPUT, type Process, World } from '../world.fixture.ts';
import { EvictionPace } from './eviction-pace.ts';

const PER_SECOND = 1_000;

/** Timers, and a time that passes by itself. */
class Timers {
  now: DurationMs = 0;
  fired = 0;
  readonly #waiting: { readonly at: DurationMs; readonly wake: () => void }[] = [];

  after(ms: DurationMs, wake: () => void): void {
    this.#waiting.push({ at: this.now + ms, wake });
  }

  runFor(ms: DurationMs): void {
    const until = this.now + ms;
    for (;;) {
      const due = this.#waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#waiting.splice(this.#waiting.indexOf(due), 1);
      this.now = due.at;
      this.fired += 1;
      due.wake();
    }
    this.now = until;
  }
}

interface Pacing {
  readonly share?: ProcessShare;
  readonly perSecond?: number;
  readonly timers?: Timers;
}

/** A task that works off all it is allowed, of so many ends, and its pace. */
class PacedTask {
  readonly task = {
    isEvicting: true,
    evictable: Infinity,
    limitEvictions: (ends: number): void => {
      this.task.evictable = ends;
    },
  };
  readonly pace: EvictionPace;
  ended = 0;
  wakes: DurationMs[] = [];
  readonly #ends: number;

  constructor(ends: number, { share = new ProcessShare(), perSecond = PER_SECOND, timers }: Pacing = {}) {
    const bounds = { ...TASK_BOUNDS, evictedPerSecond: perSecond };
    this.#ends = ends;
    this.pace = new EvictionPace({
      task: this.task,
      share: {
        note: (isEvicting) => {
          share.noteEvicting(this, isEvicting);
        },
        perSecond: () => share.evictedPerSecond(bounds),
        turn: () => share.evictingTurn(this),
      },
      clock: {
        after: (ms, wake) => {
          this.wakes.push(ms);
          timers?.after(ms, wake);
          return () => undefined;
        },
      },
      wake: () => {
        do this.turn(timers!.now);
        while (this.task.evictable > 0);
      },
    });
  }

  /** Returns how many it ends in it. */
  turn(now: DurationMs): number {
    const before = this.ended;
    this.pace.allow(now);
    for (; this.task.evictable > 0 && this.task.isEvicting; this.task.evictable -= 1) {
      this.ended += 1;
      this.task.isEvicting = this.ended < this.#ends;
    }
    this.pace.await();
    return this.ended - before;
  }
}

describe('the pace of evictions', () => {
  test.each([1, EVICTING_TASKS_AT_ONCE, 16, 64, 1_000])(
    '[Q4][X6] is the same with %i tasks: few ends in each stretch of time, and no more wakes than eight have',
    (count) => {
      const perSecond = 32_000;
      const share = new ProcessShare();
      const timers = new Timers();
      const tasks = Array.from({ length: count }, () => new PacedTask(Infinity, { share, perSecond, timers }));
      for (const each of tasks) each.turn(0);
      const ended = (): number => tasks.reduce((sum, each) => sum + each.ended, 0);
      const stretches: number[] = [];
      for (let before = 0; timers.now < 5_000; before = ended()) {
        timers.runFor(EVICTION_PAUSE_MS);
        stretches.push(ended() - before);
      }
      const inStretch = (perSecond * EVICTION_PAUSE_MS) / 1_000;
      expect(Math.max(...stretches)).toBeLessThanOrEqual(2 * inStretch);
      expect(ended()).toBeGreaterThan(0.85 * 5 * perSecond);
      const wakesMax = Math.max(EVICTING_TASKS_AT_ONCE / EVICTION_PAUSE_MS, count / EVICTION_PAUSE_MAX_MS);
      expect(timers.fired / timers.now).toBeLessThanOrEqual(1.3 * wakesMax);
    },
  );

  test('[Q4] no task waits longer than one and a half rounds, from the first instant of the clock on', () => {
    const share = new ProcessShare();
    const timers = new Timers();
    const tasks = Array.from({ length: 1_000 }, () => new PacedTask(Infinity, { share, perSecond: 32_000, timers }));
    for (const each of tasks) each.turn(0);
    timers.runFor(3_000);
    const waited = tasks.flatMap(({ wakes }) => wakes);
    expect(Math.max(...waited)).toBeLessThanOrEqual(1.5 * EVICTION_PAUSE_MAX_MS);
    expect(Math.min(...waited)).toBeGreaterThanOrEqual(EVICTION_PAUSE_MS / 2);
  });

  test.each([1, 7, 10, 64, 99])('[Q4] is kept in turns that are %i ms apart, and begins with nothing', (apartMs) => {
    const one = new PacedTask(Infinity);
    for (let now = 0; now <= 10_000; now += apartMs) {
      one.turn(now);
      expect(one.ended).toBeLessThanOrEqual((now * PER_SECOND) / 1_000 + 1);
    }
    expect(one.ended).toBeGreaterThanOrEqual(10 * PER_SECOND - apartMs - 1);
    expect(one.wakes[0]).toBe(EVICTION_PAUSE_MS);
  });

  test('[Q4] makes up for a second at most, in turns that have so many each and come at once', () => {
    const one = new PacedTask(Infinity);
    one.turn(0);
    const turns: number[] = [];
    do turns.push(one.turn(5_000));
    while (one.task.evictable > 0);
    expect(turns).toEqual([EVICTED_TURN_MAX, EVICTED_TURN_MAX, EVICTED_TURN_MAX, PER_SECOND - 3 * EVICTED_TURN_MAX]);
  });

  test('[Q4][X6] is shared by the tasks of a process that have evictions, as long as they have', () => {
    const share = new ProcessShare();
    const [short, long, stopped] = [100, Infinity, Infinity].map((ends) => new PacedTask(ends, { share }));
    const turnAll = (from: number, to: number): void => {
      for (let now = from; now < to; now += 10) for (const each of [short!, long!, stopped!]) each.turn(now);
    };
    turnAll(0, 290);
    expect([short!.ended, long!.ended, stopped!.ended].every((ended) => Math.abs(ended - 95) < 5)).toBe(true);
    turnAll(290, 400);
    stopped!.pace.end();
    const before = long!.ended;
    for (let now = 400; now <= 1_400; now += 10) {
      short!.turn(now);
      long!.turn(now);
    }
    expect(long!.ended - before).toBeGreaterThan(0.98 * PER_SECOND);
    expect(short!.ended).toBe(100);
  });
});

const LOST = 1_500;
const OTHERS = 75;

const decode: EventDecoder['decode'] = (bytes, start, length, event) => {
  resetEvent(event);
  event.attributes = new Map([['gateway', Buffer.from(bytes).toString('utf8', start, start + length)]]);
  return { kind: 'event' };
};

/** Others close while the users of a gateway are evicted, or not: by how much at most, and what was evicted how. */
async function besideEviction(evicts: boolean) {
  const processes: Process[] = [];
  const most = { inTurn: 0, before: 0 };
  const evicted = (): number =>
    processes[0]?.instance.status().reduce((sum, { counters }) => sum + (counters?.['closedByEviction'] ?? 0), 0) ?? 0;
  const onTurn = (): void => {
    const now = evicted();
    most.inTurn = Math.max(most.inTurn, now - most.before);
    most.before = now;
  };
  const bounds = { ...FREQUENT_FLUSHES, evictedPerSecond: PER_SECOND };
  const world = new World({ seed: 71, partitions: 2, timeoutMs: 5_000, bounds, decode, onTurn });
  const { time, log } = world.simulation;
  processes.push(world.launch('a'));
  await time.runFor(3_000);
  for (let i = 0; i < OTHERS; i += 1) {
    world.say(`other${i}`, 'g2');
    await time.runFor(20);
  }
  for (let i = 0; i < LOST; i += 1) world.say(`lost${i}`, 'g1');
  await time.runFor(3_500);
  const headers = [{ name: 'flatline-command', value: Buffer.from('EVICT') }];
  const value = '{"attribute":"gateway","equals":"g1"}';
  if (evicts) for (const partition of [0, 1]) log.produce(INPUT, partition, { key: null, value, headers });
  await time.runFor(1_000);
  const afterSecond = evicted();
  await time.runFor(9_000);
  expect(processes[0]!.failures).toEqual([]);
  const outputs = [0, 1].flatMap((partition) => log.committed(OUTPUT, partition));
  const lates = outputs
    .map((record) => ({ at: record.timestamp, words: record.value && Buffer.from(record.value).toString().split(' ') }))
    .flatMap(({ at, words }) => (words?.[0]?.startsWith('other') === true ? [at - Number(words.at(-1))] : []));
  return { lates, inTurn: most.inTurn, afterSecond, all: evicted() };
}

test('[Q2][Q4] a key that is looked up does not wait for the turn that an eviction comes to it', async () => {
  const bounds = { ...FREQUENT_FLUSHES, evictedPerSecond: 10 };
  const world = new World({ seed: 72, partitions: 1, timeoutMs: 600_000, bounds, decode });
  const { time, log } = world.simulation;
  const { instance } = world.launch('a');
  await time.runFor(3_000);
  for (let i = 0; i < LOST; i += 1) world.say(`lost${i}`, 'g1');
  await time.runFor(2_000);
  const headers = [{ name: 'flatline-command', value: Buffer.from('EVICT') }];
  log.produce(INPUT, 0, { key: null, value: '{"attribute":"gateway","equals":"g1"}', headers });
  await time.runFor(500);
  const show = (): [] => [];
  const how = { show, isNow: true, abandon: new AbortController().signal };
  const askedAt = time.nowMs;
  const kinds: string[] = [];
  for (const key of ['lost700', `lost${LOST - 1}`])
    void instance.lookUp(0, Buffer.from(key), how).then(({ kind }) => kinds.push(kind));
  await time.runUntil(() => kinds.length === 2, 60_000);
  expect(kinds).toEqual(['found', 'found']);
  expect(time.nowMs - askedAt).toBeLessThan(500);
  const ended = world.closed().filter((line) => / EVICTED /.test(line));
  expect(ended.filter((line) => /^lost(700|1499) /.test(line))).toHaveLength(2);
  expect(ended.length).toBeLessThan(50);
});

test('[Q4] others close beside an eviction as they do without one, and it ends few in a turn', async () => {
  const without = await besideEviction(false);
  const beside = await besideEviction(true);
  expect(without.all).toBe(0);
  expect(beside.all).toBe(LOST);
  // The rest came later, each in its turn.
  expect(beside.afterSecond).toBeGreaterThan(0.8 * PER_SECOND);
  expect(beside.afterSecond).toBeLessThanOrEqual(PER_SECOND);
  expect(beside.inTurn).toBeLessThanOrEqual(0.02 * PER_SECOND);
  expect([without.lates.length, beside.lates.length]).toEqual([OTHERS, OTHERS]);
  expect(Math.max(...beside.lates)).toBeLessThanOrEqual(Math.max(...without.lates) + 50);
});
