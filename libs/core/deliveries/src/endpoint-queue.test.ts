import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { FAILURES_TO_OPEN, OPEN_MOST_MS } from './breaker.ts';
import type { Delivery, Write } from './delivery.ts';
import { EndpointQueue, type EndpointRules } from './endpoint-queue.ts';
import { Gate } from './gate.ts';
import { BEHIND_BYTES_MAX, HOLD_LEFT_MS, HOLD_MS, NAMED_MAX, READY_BYTES_MAX, READY_MAX } from './limits.ts';
import { ATTEMPTS_MAX, DELIVERED, failure, QueueWorld } from './queue-world.fixture.ts';
import { ReadyDeliveries } from './ready-deliveries.ts';

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

function output(order: number, more: Partial<Delivery> = {}): Delivery {
  const body = new Uint8Array(10);
  return { endpoint: 'sink', id: `d${order}`, key: 'a', order, type: 't', body, attempts: [], ...more };
}

describe('a queue of one endpoint that was restored', () => {
  const mark = { endpoint: 'sink', id: 'd1', key: 'a', order: 1 };

  test('[N4] the newest of a key waits for one that was due already, and may be on its way', () => {
    const { queue, written } = queueOf({ supersede: true });
    queue.restore([{ mark, phase: 'waiting', dueAt: 900 }], undefined, 1_000);
    queue.take(output(2), 1_000);
    expect(written.map((write) => [write.kind, 'phase' in write && write.phase])).toEqual([['keep', 'behind']]);
  });

  test('[N4] it takes the place of one that is due later', () => {
    const { queue, written } = queueOf({ supersede: true });
    queue.restore([{ mark, phase: 'waiting', dueAt: 60_000 }], undefined, 1_000);
    queue.take(output(2), 1_000);
    expect(written[0]).toEqual({ kind: 'drop', name: { endpoint: 'sink', id: 'd1' } });
  });
});

describe('a queue of one endpoint', () => {
  test('[N3] what would come out while it is attempted begins once it is kept for longer, by a commit', () => {
    const { queue, written } = queueOf({}, new Gate({ maxInFlight: 2, maxPerSecond: undefined }));
    for (let order = 1; order <= 3; order += 1) queue.take(output(order), 0);
    const lateMs = HOLD_MS - HOLD_LEFT_MS;
    written.length = 0;
    expect([queue.next(lateMs), queue.isRenewing]).toEqual([[], true]);
    expect(written).toMatchObject([1, 2, 3].map(() => ({ kind: 'keep', phase: 'held', dueAt: lateMs + HOLD_MS })));
    expect([queue.next(lateMs).length, queue.isRenewing]).toEqual([2, false]);
  });

  test('[N3][N4] it has room for the outputs that can be attempted at once, whatever is due again beside them', () => {
    const { queue } = queueOf({}, new Gate({ maxInFlight: 2, maxPerSecond: undefined }));
    const rooms: boolean[] = [];
    for (let order = 1; order <= 2; order += 1) {
      rooms.push(queue.hasRoom(0));
      queue.take(output(order), 0);
    }
    expect([...rooms, queue.hasRoom(0)]).toEqual([true, true, false]);
    expect(queue.next(0).length).toBe(2);
    expect([queue.hasRoom(0), queue.roomAt()]).toEqual([false, undefined]);
    queue.ended({ id: 'd1' }, DELIVERED, 5);
    expect(queue.hasRoom(5)).toBe(true);
  });

  test('[N4] while its breaker is open it takes what comes, which waits elsewhere', () => {
    const { queue } = queueOf({}, new Gate({ maxInFlight: 8, maxPerSecond: undefined }));
    for (let order = 1; order <= 8; order += 1) queue.take(output(order), 0);
    for (const { id } of queue.next(0)) queue.ended({ id }, failure(1), 1);
    expect([queue.breaker.kind, queue.hasRoom(1)]).toEqual(['open', true]);
  });

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

  test.each(['kept in the log', 'in memory'])(
    '[N4] a breaker opened by a clock that was ahead, %s, withholds nothing for longer than one may be open',
    (where) => {
      const now = 40 * DAY_MS;
      const ahead = now + 30 * DAY_MS;
      const first = queueOf({});
      for (let order = 1; order <= FAILURES_TO_OPEN; order += 1) {
        first.queue.take(output(order), ahead);
        for (const each of first.queue.next(ahead)) first.queue.ended(each, failure(ahead), ahead);
      }
      const { breaker } = first.queue;
      expect(breaker).toMatchObject({ kind: 'open', opened: 1 });
      const { queue, written } = where === 'in memory' ? first : queueOf({});
      if (where !== 'in memory') queue.restore([], breaker, now);
      queue.take(output(9), now);
      queue.take(output(10), now);
      expect(queue.next(now).map(({ id }) => id)).toEqual(['d9']);
      queue.ended(output(9), failure(now), now);
      queue.take(output(11), now);
      expect(queue.breaker).toMatchObject({ kind: 'open', opened: 2 });
      const kept = written.findLast((write) => write.kind === 'keep')!;
      expect(kept.dueAt - now).toBeLessThanOrEqual(1.2 * OPEN_MOST_MS);
    },
  );

  test('[N4] what is parked by a clock that was ahead does not hold up what is parked after it was put back', () => {
    const { queue, written } = queueOf({});
    const now = 40 * DAY_MS;
    for (let order = 1; order <= READY_MAX + 1; order += 1) queue.take(output(order), now + 30 * DAY_MS);
    queue.take(output(READY_MAX + 2), now);
    const kept = written.findLast((write) => write.kind === 'keep')!;
    expect([kept.delivery.id, kept.phase, kept.dueAt - now < 2_000]).toEqual([`d${READY_MAX + 2}`, 'waiting', true]);
  });

  test('[N4] of more names than are kept the newest is given up, and says so', () => {
    const { queue, written } = queueOf({ order: 'key' });
    for (let order = 1; order <= NAMED_MAX; order += 1) queue.take(output(order, { key: `k${order}` }), 0);
    expect(written.filter(({ kind }) => kind === 'giveUp')).toEqual([]);
    const more = output(NAMED_MAX + 1);
    queue.take(more, 0);
    expect(written.at(-1)).toEqual({ kind: 'giveUp', delivery: more, why: 'too-many-waiting' });
    expect([queue.waiting.named, queue.inspect()]).toEqual([NAMED_MAX, []]);
  });

  test('[N4] bodies in memory are bounded, with one more of those ready and of those behind', () => {
    const { queue } = queueOf({ order: 'key' });
    const halves = [READY_BYTES_MAX / 2, BEHIND_BYTES_MAX / 2].map((length) => new Uint8Array(length));
    for (let order = 1; order <= 8; order += 1) {
      queue.take(output(2 * order, { key: `k${order}`, body: halves[0]! }), 0);
      queue.take(output(2 * order + 1, { key: 'k1', body: halves[1]! }), 0);
    }
    expect([queue.waiting.ready, queue.inspect()]).toEqual([2, []]);
  });

  test('what is ready beyond its bytes is told by inspect', () => {
    const ready = new ReadyDeliveries();
    const body = new Uint8Array(READY_BYTES_MAX);
    for (const order of [1, 2]) {
      const delivery = output(order, { body });
      ready.push({ mark: delivery, place: 'away', delivery, dueAt: 0 }, delivery);
      expect(ready.inspect()).toHaveLength(order - 1);
    }
  });
});
