import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { FAILURES_TO_OPEN } from './breaker.ts';
import type { Delivery, Write } from './delivery.ts';
import { EndpointQueue, type EndpointRules } from './endpoint-queue.ts';
import { Gate } from './gate.ts';
import { READY_MAX } from './limits.ts';
import { ATTEMPTS_MAX, DELIVERED, failure, QueueWorld } from './queue-world.fixture.ts';

const DAY_MS = 86_400_000;
const ok = () => ({ outcome: DELIVERED, ms: 10 });

/** A queue without a world around it, and what it has written. */
function queueOf(rules: Partial<EndpointRules>, gate = new Gate({ maxInFlight: 8, maxPerSecond: undefined })) {
  const written: Write[] = [];
  const queue = new EndpointQueue({
    rules: { name: 'sink', order: 'none', supersede: false, timeoutMs: 15_000, ...rules },
    gate,
    random: seededRandom(1),
    write: (write) => {
      written.push(write);
    },
  });
  return { queue, written };
}

function output(order: number): Delivery {
  return { endpoint: 'sink', id: `d${order}`, key: 'a', order, type: 't', body: new Uint8Array(10), attempts: [] };
}

describe('a queue of one endpoint', () => {
  test('[N2] an output is attempted at once, and gone once that succeeds', () => {
    const world = new QueueWorld({ answer: ok });
    world.say('a');
    expect(world.begun).toEqual([{ at: 0, id: 'd1', key: 'a', attempt: 1 }]);
    world.runTo(10);
    expect([world.delivered, world.isQuiet]).toEqual([['d1'], true]);
  });

  test('[N2] what never succeeds is given up after the tenth attempt, with its history', () => {
    // One in three succeeds for others, so that the breaker stays closed.
    const answer = ({ key }: { readonly key: string }, now: number) => ({
      outcome: key === 'bad' ? failure(now) : DELIVERED,
      ms: 10,
    });
    const world = new QueueWorld({ answer });
    world.say('bad');
    for (let day = 0; day < 6; day += 1)
      for (let hour = 0; hour < 24; hour += 1) {
        world.say('good');
        world.runTo(world.now + DAY_MS / 24);
      }
    expect(world.givenUp).toEqual([{ id: 'd1', why: 'attempts', attempts: ATTEMPTS_MAX }]);
    const waits = world.begun.filter(({ id }) => id === 'd1').map(({ at }, i, all) => at - (all[i - 1]?.at ?? 0));
    expect(waits).toHaveLength(ATTEMPTS_MAX);
    expect(waits[1]).toBeGreaterThanOrEqual(4_010);
    expect(waits[1]).toBeLessThanOrEqual(6_010);
    expect(waits[9]).toBeGreaterThanOrEqual(0.8 * DAY_MS);
  });

  test('[N2] 410 gives up what was sent and what follows, and a command enables the endpoint again', () => {
    let isGone = true;
    const world = new QueueWorld({
      answer: (_, now) => ({ outcome: isGone ? failure(now, { gone: true }) : DELIVERED, ms: 10 }),
    });
    world.say('a');
    world.runTo(10);
    world.say('b');
    expect(world.givenUp.map(({ why }) => why)).toEqual(['gone', 'disabled']);
    world.kill();
    world.say('c');
    expect(world.givenUp.at(-1)).toEqual({ id: 'd3', why: 'disabled', attempts: 0 });
    isGone = false;
    world.queue.enable(world.now);
    world.say('d');
    world.runTo(20);
    expect(world.delivered).toEqual(['d4']);
  });

  test('[N4] while the breaker is open nothing is attempted but one probe, and waiting burns no attempt', () => {
    let isDead = true;
    const world = new QueueWorld({
      maxInFlight: 8,
      answer: (_, now) => ({ outcome: isDead ? failure(now) : DELIVERED, ms: 10 }),
    });
    for (let i = 0; i < 100; i += 1) world.say(`k${i}`);
    world.runTo(600_000);
    const attempts = new Map<string, number>();
    for (const { id, attempt } of world.begun) attempts.set(id, attempt);
    // A hundred deliveries, ten minutes: a probe each time it opens, instead of four attempts each.
    expect(world.begun.length).toBeLessThan(8 + FAILURES_TO_OPEN + 12);
    expect(Math.max(...attempts.values())).toBeLessThan(4);
    isDead = false;
    world.runTo(3_600_000 * 3);
    expect([world.delivered.length, world.isQuiet]).toEqual([100, true]);
  });

  test('[N4] the probe is one, however many come due while it is under way', () => {
    const world = new QueueWorld({ maxInFlight: 8, answer: (_, now) => ({ outcome: failure(now), ms: 3_000 }) });
    for (let i = 0; i < 100; i += 1) world.say(`k${i}`);
    world.runTo(600_000);
    expect(world.begun.length).toBeLessThan(8 + FAILURES_TO_OPEN + 12);
  });

  test('[N4] what finds no room waits outside, and all of it is delivered', () => {
    const world = new QueueWorld({ maxInFlight: 2, answer: ok });
    for (let i = 0; i < 3 * READY_MAX; i += 1) world.say(`k${i}`);
    expect(world.queue.waiting.ready).toBe(READY_MAX);
    expect(world.queue.inspect()).toEqual([]);
    world.runTo(60_000);
    expect([new Set(world.delivered).size, world.isQuiet]).toEqual([3 * READY_MAX, true]);
  });

  test('[N4] order by key: one key waits for its predecessor, others do not', () => {
    let failsLeft = 1;
    const answer = ({ id }: { readonly id: string }, now: number) => {
      const fails = id === 'd1' && failsLeft > 0;
      if (fails) failsLeft -= 1;
      return { outcome: fails ? failure(now) : DELIVERED, ms: 10 };
    };
    const world = new QueueWorld({ order: 'key', answer });
    for (const key of ['a', 'a', 'a', 'b']) world.say(key);
    world.runTo(1_000);
    expect(world.delivered).toEqual(['d4']);
    world.kill();
    world.runTo(20_000);
    expect([world.delivered, world.isQuiet]).toEqual([['d4', 'd1', 'd2', 'd3'], true]);
  });

  test('[N4] supersede: the newest of a key takes the place of one that waits, not of one under way', () => {
    const world = new QueueWorld({ supersede: true, answer: ok });
    for (const key of ['a', 'a', 'a', 'a', 'b']) world.say(key);
    world.runTo(1_000);
    expect([world.delivered, world.isQuiet]).toEqual([['d1', 'd5', 'd4'], true]);
    expect(world.queue.counters.superseded).toBe(2);
  });

  test('[N3] after a kill what was under way is sent again, and nothing else', () => {
    const world = new QueueWorld({ maxInFlight: 2, answer: () => ({ outcome: DELIVERED, ms: 50 }) });
    for (let i = 0; i < 6; i += 1) world.say(`k${i}`);
    world.runTo(60);
    expect(world.delivered).toEqual(['d1', 'd2']);
    world.kill();
    expect(world.interrupted).toEqual(['d3', 'd4']);
    world.runTo(1_000);
    const times = new Map<string, number>();
    for (const { id } of world.begun) times.set(id, (times.get(id) ?? 0) + 1);
    expect([...times].filter(([, count]) => count > 1).map(([id]) => id)).toEqual(['d3', 'd4']);
    expect(new Set(world.delivered).size).toBe(6);
  });

  test('[N4] what waited behind another of its key is woken where keys are not told apart any more', () => {
    const written: Write[] = [];
    const queue = new EndpointQueue({
      rules: { name: 'sink', order: 'none', supersede: false, timeoutMs: 15_000 },
      gate: new Gate({ maxInFlight: 1, maxPerSecond: undefined }),
      random: seededRandom(1),
      write: (write) => {
        written.push(write);
      },
    });
    const mark = { endpoint: 'sink', id: 'd2', key: 'a', order: 2 };
    queue.restore([{ mark, phase: 'behind' }], undefined, 0);
    expect(written).toMatchObject([{ kind: 'wake', name: { endpoint: 'sink', id: 'd2' } }]);
  });

  test('[N4] what waited for a dead endpoint comes back at the pace of one that is well', () => {
    let isDead = true;
    const world = new QueueWorld({
      maxInFlight: 8,
      answer: (_, now) => ({ outcome: isDead ? failure(now) : DELIVERED, ms: 10 }),
    });
    for (let i = 0; i < 10; i += 1) world.say(`k${i}`);
    world.runTo(3_600_000);
    for (let i = 0; i < 200; i += 1) world.say(`late${i}`);
    isDead = false;
    const { breaker } = world.queue;
    expect(breaker.kind).toBe('open');
    // It is open for five minutes at most, and a few seconds later all of those are through.
    world.runTo(world.now + 370_000);
    expect(world.begun.filter(({ key }) => key.startsWith('late'))).toHaveLength(200);
  });

  test.each(['none', 'key'] as const)(
    '[N4] supersede, order %s: what has come due as a newer one comes is not sent after that',
    (order) => {
      const { queue, written } = queueOf({ supersede: true, order });
      const begun: string[] = [];
      const begin = (now: number): void => {
        begun.push(...queue.next(now).map(({ id }) => id));
      };
      queue.take(output(1), 0);
      begin(0);
      queue.ended(output(1), failure(0), 10);
      const kept = written.findLast((write) => write.kind === 'keep')!;
      const { dueAt } = kept;
      // It is out, and the newest is taken before it.
      queue.take(output(2), dueAt + 1);
      begin(dueAt + 1);
      queue.take(kept.delivery, dueAt + 30);
      begin(dueAt + 30);
      queue.ended(kept.delivery, DELIVERED, dueAt + 40);
      begin(dueAt + 50);
      expect(begun).toEqual(['d1', 'd1', 'd2']);
    },
  );

  test('[N4] a line of ten thousand is given up with the first of it, where the endpoint wants nothing more', () => {
    const { queue, written } = queueOf({ order: 'key' });
    for (let order = 1; order <= 10_000; order += 1) queue.take(output(order), 0);
    queue.next(0);
    queue.ended(output(1), failure(0, { gone: true }), 10);
    expect(written.filter(({ kind }) => kind === 'giveUp')).toHaveLength(10_000);
    expect([queue.inspect(), queue.waiting.named]).toEqual([[], 0]);
  });

  test('[N4] half-open, and the gate full by another partition: no instant is named that has passed', () => {
    const gate = new Gate({ maxInFlight: 1, maxPerSecond: undefined });
    const { queue } = queueOf({}, gate);
    queue.restore([], { kind: 'open', until: 1_000, opened: 1, failingSince: 0 }, 1_001);
    gate.enter(1_001);
    queue.take(output(1), 1_001);
    expect(queue.next(1_002)).toEqual([]);
    expect(queue.nextAt(1_002)).toBeUndefined();
  });
});
