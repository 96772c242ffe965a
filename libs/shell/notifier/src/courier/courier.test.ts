import { expect, test } from '@jest/globals';
import { Fenced } from '@flatline/base';
import type { Delivery, Outcome } from '@flatline/deliveries';
import { DELIVERY } from '../delivery.fixture.ts';
import { isOfAnother, keptRecord, keptRecordOf, ownRecord } from '../records/delivery-record.ts';
import { CourierWorld, type CourierWorldOptions, END, MAX_IN_FLIGHT } from './courier-world.fixture.ts';

test('[N3] startFrom latest: a first run commits where it begins, so that what comes between two runs is sent', async () => {
  const world = new CourierWorld({ startFrom: 'latest' });
  await world.clock.pass(1_000);
  await world.courier.close();
  expect(world.committed.get('visits')).toBe(END);
});

test('[N3] both positions are in each commit, and in one an hour where nothing comes: brokers forget old ones', async () => {
  const world = new CourierWorld({});
  await world.clock.pass(3 * 3_600_000);
  await world.courier.close();
  const topics = world.commits.map(({ offsets }) => offsets.map(({ topic }) => topic));
  expect(topics).toEqual(Array.from({ length: 4 }, () => ['visits', 'visits.deliveries.due']));
});

test('[N3] a sender that rejects is a failed attempt, and its partition goes on', async () => {
  const attempt = () => Promise.reject(new Error('x'.repeat(1_000)));
  const world = new CourierWorld({ held: [DELIVERY], attempt });
  await world.clock.pass(1_000);
  await world.courier.close();
  const {
    key,
    value,
    headers = [],
  } = world.commits
    .flatMap(({ writes }) => writes)
    .at(-1)!
    .records.at(-1)!;
  expect(keptRecordOf(key!, value!, headers)).toMatchObject({
    phase: 'waiting',
    delivery: { id: DELIVERY.id, attempts: [{ error: 'x'.repeat(256) }] },
  });
  expect(world.opened).toBe(1);
});

test('[N3] outcomes that come soon after each other are in one transaction', async () => {
  const lastsMs = { a: 100, b: 110, c: 40 };
  const held = Object.keys(lastsMs).map((id) => ({ ...DELIVERY, id }));
  const delivered: Outcome = { kind: 'delivered' };
  const world: CourierWorld = new CourierWorld({
    held,
    attempt: (_, { id }) =>
      new Promise((resolve) => {
        world.clock.after(lastsMs[id as keyof typeof lastsMs], () => {
          resolve(delivered);
        });
      }),
  });
  await world.clock.pass(1_000);
  await world.courier.close();
  const drops = world.commits.map(({ writes }) =>
    writes.flatMap(({ records }) => records).filter(({ value }) => value === null),
  );
  expect(drops.map(({ length }) => length).filter((length) => length > 0)).toEqual([1, 2]);
});

test('[N3] no more is under way, or ended and not committed, than may be under way at once', async () => {
  const [held, most] = [Array.from({ length: 60 }, (_, i) => ({ ...DELIVERY, id: `d${i}` })), [0]];
  let begun = 0;
  const world: CourierWorld = new CourierWorld({
    held,
    attempt: () => {
      begun += 1;
      const settled = world.commits.flatMap(({ writes }) => writes.flatMap(({ records }) => records));
      most.push(begun - settled.filter(({ value }) => value === null).length);
      return new Promise((resolve) => {
        world.clock.after(1 + (begun % 7), () => {
          resolve({ kind: 'delivered' });
        });
      });
    },
  });
  await world.clock.pass(5_000);
  await world.courier.close();
  expect(begun).toBe(held.length);
  expect(Math.max(...most)).toBe(MAX_IN_FLIGHT);
});

test('[N3] what is kept before a close is begun by whoever follows', async () => {
  let begun = 0;
  const attempt = (): Promise<Outcome> => {
    begun += 1;
    return Promise.resolve({ kind: 'delivered' });
  };
  const held = [DELIVERY];
  const closing: CourierWorld = new CourierWorld({ held, attempt, onCommit: () => void closing.courier.close() });
  await closing.clock.pass(1_000);
  expect([begun, closing.commits.length]).toEqual([0, 1]);
  const open = new CourierWorld({ held, attempt });
  await open.clock.pass(1_000);
  await open.courier.close();
  expect(begun).toBe(1);
});

test('[N3] a close does not wait for a sender that never ends', async () => {
  const world = new CourierWorld({ held: [DELIVERY], attempt: () => new Promise(() => undefined) });
  await world.clock.pass(1_000);
  let isClosed = false;
  void world.courier.close().then(() => {
    isClosed = true;
  });
  await world.clock.pass(5_000);
  expect(isClosed).toBe(true);
});

test('[N3] an output whose key makes it too large for a record is given up, and the partition goes on', async () => {
  const value = Buffer.from(`{"incarnation":"0-1","state":"CLOSED","reason":"TIMEOUT","pad":"${'x'.repeat(800_000)}"}`);
  const world = new CourierWorld({ outputs: [{ key: Buffer.alloc(60_000), value }] });
  await world.clock.pass(1_000);
  await world.courier.close();
  const written = world.commits.flatMap(({ writes }) => writes);
  const reasons = written
    .filter(({ topic }) => topic === 'visits.undeliverable')
    .flatMap(({ records }) => records.flatMap(({ headers = [] }) => headers))
    .flatMap(({ name, value: text }) => (name === 'reason' ? [Buffer.from(text!).toString()] : []));
  expect(reasons).toEqual(['too-large']);
});

test('[N3] who was fenced begins again only where the group says that the partition is its own', async () => {
  let isFenced = true;
  const onCommit = (): void => {
    if (isFenced) throw new Fenced('a newer owner');
  };
  const world = new CourierWorld({ onCommit });
  world.isOurs = false;
  await world.clock.pass(600_000);
  expect(world.opened).toBe(1);
  [world.isOurs, isFenced] = [true, false];
  await world.clock.pass(20_000);
  await world.courier.close();
  expect([world.opened, world.committed.size]).toEqual([2, 2]);
});

test.each([
  ['shop', 1],
  ['hooksb', 0],
])('[N3] what application %s has kept, or is due of it, is attempted %i times by shop', async (application, times) => {
  const asked: string[] = [];
  const attempt = (_: AbortSignal, { id }: Delivery): Promise<Outcome> => {
    asked.push(id);
    return Promise.resolve({ kind: 'delivered' });
  };
  const due = ownRecord(keptRecord({ ...DELIVERY, id: 'due' }, 'waiting', 0), application);
  const world = new CourierWorld({ held: [{ ...DELIVERY, id: 'held' }], heldOf: application, due, attempt });
  await world.clock.pass(1_000);
  await world.courier.close();
  const count = (name: string): number => asked.filter((id) => id === name).length;
  expect([count('held'), count('due')]).toEqual([times, times]);
});

function outputs(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(`k${i}`),
    value: Buffer.from(`{"incarnation":"0-${i}","state":"CLOSED","reason":"TIMEOUT"}`),
  }));
}

/** Records of deliveries that were written, each as its id and, where one is kept, its phase. */
function written({ commits }: CourierWorld): readonly (readonly [string, string | undefined])[] {
  const all = commits.flatMap(({ writes }) => writes.flatMap((each) => each.records));
  // Breakers have no id.
  const records = all.filter(({ key }) => Buffer.from(key!).includes('/'));
  return records.map(({ key, value, headers = [] }) => {
    const record = value && keptRecordOf(key!, value, headers);
    return [Buffer.from(key!).toString(), record?.kind === 'delivery' ? record.phase : undefined];
  });
}

test('[N3] an output that is delivered before its position is committed leaves no record', async () => {
  const asked: string[] = [];
  const world: CourierWorld = new CourierWorld({
    outputs: outputs(5),
    attempt: (_, { id }) =>
      new Promise((resolve) => {
        asked.push(id);
        world.clock.after(5, () => {
          resolve({ kind: 'delivered' });
        });
      }),
  });
  await world.clock.pass(1_000);
  await world.courier.close();
  expect(asked).toEqual(outputs(5).map((_, i) => `visits:0-${i}:0`));
  expect([written(world), world.committed.get('visits')]).toEqual([[], 5]);
});

test('[N3] an output that is under way when its position moves on is kept by the same transaction', async () => {
  const world: CourierWorld = new CourierWorld({
    outputs: outputs(2),
    attempt: (_, { id }) =>
      new Promise((resolve) => {
        world.clock.after(id.endsWith('-0:0') ? 400 : 5, () => {
          resolve({ kind: 'delivered' });
        });
      }),
  });
  await world.clock.pass(200);
  const kept = ['sink/visits:0-0:0', 'held'];
  expect([written(world), world.committed.get('visits')]).toEqual([[kept], 2]);
  const withRecords = world.commits.filter(({ writes }) => writes.length > 0);
  expect(withRecords.map(({ offsets }) => offsets[0]!.offset)).toEqual([2]);
  await world.clock.pass(800);
  await world.courier.close();
  expect(written(world)).toEqual([kept, ['sink/visits:0-0:0', undefined]]);
});

test('[N3] an output that is never answered is kept within a second, and one that fails by one record', async () => {
  const world: CourierWorld = new CourierWorld({
    outputs: outputs(2),
    attempt: (_, { id }) => (id.endsWith('-0:0') ? new Promise(() => undefined) : Promise.reject(new Error('away'))),
  });
  await world.clock.pass(1_100);
  expect(written(world)).toEqual([
    ['sink/visits:0-0:0', 'held'],
    ['sink/visits:0-1:0', 'waiting'],
  ]);
});

test('[N3] no attempt of an output begins before a position is committed from which whoever follows takes it', async () => {
  let isCommitted = false;
  const order: string[] = [];
  const world = new CourierWorld({
    startFrom: 'earliest',
    outputs: outputs(1),
    attempt: () => {
      order.push('attempt');
      return Promise.resolve({ kind: 'delivered' });
    },
    onCommit: () => {
      if (!isCommitted) order.push('commit');
      isCommitted = true;
    },
  });
  await world.clock.pass(1_000);
  await world.courier.close();
  expect(order).toEqual(['commit', 'attempt']);
});

test('[N3] of outputs no more would be sent again at any moment than may be under way at once', async () => {
  const [begun, atRisk] = [new Set<string>(), [0]];
  const world: CourierWorld = new CourierWorld({
    outputs: outputs(60),
    attempt: (_, { id }) => {
      begun.add(id);
      const position = world.committed.get('visits')!;
      const kept = new Map(written(world).map(([key, phase]) => [key, phase !== undefined]));
      const isAtRisk = (each: string): boolean =>
        Number(/0-(\d+):/.exec(each)![1]) >= position || kept.get(`sink/${each}`) === true;
      atRisk.push([...begun].filter(isAtRisk).length);
      return new Promise((resolve) => {
        world.clock.after(1 + ((7 * begun.size) % 60), () => {
          resolve({ kind: 'delivered' });
        });
      });
    },
  });
  await world.clock.pass(20_000);
  await world.courier.close();
  expect(begun.size).toBe(60);
  expect(Math.max(...atRisk)).toBe(MAX_IN_FLIGHT);
});

test('[N4] where an endpoint is slow what comes waits for it in its order, and is not put off', async () => {
  const world: CourierWorld = new CourierWorld({
    outputs: outputs(300),
    attempt: () =>
      new Promise((resolve) => {
        world.clock.after(1_500, () => {
          resolve({ kind: 'delivered' });
        });
      }),
  });
  await world.clock.pass(5_000);
  expect(new Set(written(world).map(([, phase]) => phase))).toEqual(new Set(['held', undefined]));
});

test('[N4] what takes the place of another is attempted once that is committed, since both come again until then', async () => {
  const seen: [string, number | undefined][] = [];
  const world: CourierWorld = new CourierWorld({
    rules: { supersede: true },
    outputs: outputs(2).map(({ value }) => ({ key: Buffer.from('k'), value })),
    attempt: (_, { id }) => {
      seen.push([id, world.committed.get('visits')]);
      return Promise.resolve({ kind: 'delivered' });
    },
  });
  await world.clock.pass(1_000);
  await world.courier.close();
  expect(seen).toEqual([['visits:0-1:0', 2]]);
});

test('[N3] each record of a delivery says whose it is', async () => {
  const world = new CourierWorld({ held: [DELIVERY], attempt: () => Promise.reject(new Error('away')) });
  await world.clock.pass(1_000);
  await world.courier.close();
  const written = world.commits.flatMap(({ writes }) => writes).flatMap(({ records }) => records);
  expect(written.map(({ headers = [] }) => isOfAnother(headers, 'hooksb'))).toEqual(written.map(() => true));
  expect(written.length).toBeGreaterThan(0);
});

/** A run whose partition has another owner once so many of its commits are through; and how many attempts and commits it began. */
function overtaken(unfenced: number, options: CourierWorldOptions) {
  const began = { attempts: 0, commits: 0 };
  const world = new CourierWorld({
    outputs: outputs(3),
    ...options,
    attempt: () => {
      began.attempts += 1;
      return Promise.resolve({ kind: 'delivered' });
    },
    onCommit: () => {
      began.commits += 1;
      if (began.commits > unfenced) throw new Fenced('a newer owner');
      options.onCommit?.();
    },
  });
  world.isOurs = false;
  return { world, began };
}

test('[N3] whoever was fenced while nothing came attempts nothing of what comes then', async () => {
  const { world, began } = overtaken(1, { comeAfterMs: 5_000 });
  await world.clock.pass(60_000);
  expect(began).toEqual({ attempts: 0, commits: 2 });
});

test('[N3] what comes after a long silence is attempted once its run has committed again', async () => {
  const order: string[] = [];
  const world = new CourierWorld({
    outputs: outputs(2),
    comeAfterMs: 5_000,
    attempt: () => {
      order.push('attempt');
      return Promise.resolve({ kind: 'delivered' });
    },
    onCommit: () => order.push('commit'),
  });
  await world.clock.pass(5_100);
  await world.courier.close();
  expect(order.slice(0, 4)).toEqual(['commit', 'commit', 'attempt', 'attempt']);
});

test('[N3] outputs whose position was put back below what is kept are dropped by a record', async () => {
  const held = [{ ...DELIVERY, id: 'visits:0-9:0', order: 3 }];
  const world = new CourierWorld({ held, outputs: outputs(5) });
  await world.clock.pass(1_000);
  await world.courier.close();
  const dropped = written(world).flatMap(([key, phase]) => (phase === undefined ? [key] : []));
  expect(dropped.sort()).toEqual(['0-0', '0-1', '0-2', '0-3', '0-9'].map((id) => `sink/visits:${id}:0`));
});

const seconds =
  (...each: readonly number[]) =>
  (number: number): number =>
    1_000 * (each[number - 1] ?? each.at(-1)!);

test.each([
  ['whoever stood still while it committed meets the fence before it attempts', seconds(60), 1, 0],
  ['so does one whose commits take seconds at any rate', seconds(3, 3, 60), 3, 2],
  ['where each commit takes seconds attempts go on', seconds(3), Infinity, 3],
])('[N3] %s', async (_, commitMs, unfenced, attempts) => {
  const { world, began } = overtaken(unfenced, { commitMs });
  await world.clock.pass(100_000);
  expect(began.attempts).toBe(attempts);
  await world.courier.close();
});

test.each([
  ['since its last commit', 500],
  ['while it committed', 0],
])(
  '[N3] whoever slept %s meets the fence before it attempts, though its monotonic clock stood still',
  async (_, comeAfterMs) => {
    const sleep = (): void => {
      world.clock.slept(60_000);
    };
    const { world, began } = overtaken(1, { comeAfterMs, ...(comeAfterMs === 0 && { onCommit: sleep }) });
    await world.clock.pass(100);
    sleep();
    await world.clock.pass(1_000);
    expect(began).toEqual({ attempts: 0, commits: 2 });
  },
);
