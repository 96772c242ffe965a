// Any instance answers for any key: what is live, what is not, and that it is not known, through a kill.
import { afterEach, describe, expect, test } from '@jest/globals';
import { directory } from '@flatline/client';
import { kill, killAll } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, fetchJson, ready } from './metrics.fixture.ts';
import { type Asked, expectDocumented } from './openapi.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const TIMEOUT_MS = 60_000;
const USERS = 40;
const LOOK_MS = 50;

interface Answer {
  readonly key: string;
  readonly state: 'live' | 'none' | 'moving' | 'restoring';
  readonly eventCount?: number;
  readonly from?: string;
  readonly owner?: string;
  readonly partition: number;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly asOf?: { readonly clock: number; readonly position: number };
}

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const users = Array.from({ length: USERS }, (_, i) => `user ${i}/ü`);
const pathOf = (key: string): string => `/api/v1/entries/visits/${encodeURIComponent(key)}`;

async function lookUpAll(address: string, keys: readonly string[], proof?: 'now'): Promise<readonly Answer[]> {
  const response = await fetch(`${address}/api/v1/entries/visits:lookup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keys, proof }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly entries: readonly Answer[] }).entries;
}

const ENTRIES = '/api/v1/entries/{pipeline}';
const BY_KEY = `${ENTRIES}/{key}`;
const DOCUMENTED: readonly Asked[] = [
  { method: 'GET', path: pathOf(users[0]!), documented: BY_KEY, status: 200 },
  { method: 'GET', path: pathOf('stranger'), documented: BY_KEY, status: 404 },
  { method: 'GET', path: '/api/v1/entries/visits?limit=3', documented: ENTRIES, status: 200 },
  { method: 'GET', path: '/api/v1/owners/visits', documented: '/api/v1/owners/{pipeline}', status: 200 },
  { method: 'GET', path: '/api/v1/pipelines', documented: '/api/v1/pipelines', status: 200 },
  { method: 'GET', path: '/api/v1/partitions', documented: '/api/v1/partitions', status: 200 },
  {
    method: 'POST',
    path: '/api/v1/entries/visits:lookup',
    documented: `${ENTRIES}:lookup`,
    status: 200,
    body: { keys: users.slice(0, 2) },
  },
  { method: 'POST', path: `${pathOf('stranger')}:end`, documented: `${BY_KEY}:end`, status: 202 },
  {
    method: 'POST',
    path: '/api/v1/entries/visits:evict',
    documented: `${ENTRIES}:evict`,
    status: 202,
    body: { attribute: 'round', equals: 'none' },
  },
];

/** Once as many events of each user are read. */
async function onceRead(address: string, events: number): Promise<void> {
  const isRead = ({ eventCount }: Answer): boolean => eventCount === events;
  while (!(await lookUpAll(address, users)).every(isRead)) await sleep(LOOK_MS);
}

describe('look-ups', () => {
  test('[Q1][Q2] both of two instances answer for each key; with one killed nothing false is said, and then all again', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
    const [a, b] = [scenario.start('a'), scenario.start('b')];
    const addresses = [await addressOf(a), await addressOf(b)];
    for (const address of addresses) await ready(address);
    await scenario.producing(async (producer) => {
      for (const round of [1, 2])
        await producer.send(users.map((key) => recordOf(key, `{"type":"VIEW","attributes":{"round":"${round}"}}`)));
    });
    const proved = await directory({ urls: addresses, pipeline: 'visits' }).getAll(users, { proof: 'now' });
    expect(proved.map(({ state, eventCount }) => [state, eventCount])).toEqual(users.map(() => ['live', 2]));
    await onceRead(addresses[0]!, 2);
    const keys = [...users, 'stranger'];
    const partitions = new Set<number>();
    for (const address of addresses) {
      const answers = await lookUpAll(address, keys);
      for (const [i, { partition, ...answer }] of answers.entries()) {
        partitions.add(partition);
        if (keys[i] === 'stranger') expect(answer).toMatchObject({ state: 'none', from: 'owner' });
        else
          expect(answer).toMatchObject({
            key: keys[i],
            state: 'live',
            from: 'owner',
            eventCount: 2,
            attributes: { round: '2' },
          });
      }
      const one = await fetch(`${address}${pathOf(users[0]!)}`);
      expect(one.status).toBe(200);
      expect(await one.json()).toMatchObject({ key: users[0], state: 'live', pipeline: 'visits', kind: 'session' });
      expect((await fetch(`${address}${pathOf('stranger')}`)).status).toBe(404);
      expect((await fetch(`${address}/api/v1/entries/visits/%FF%00`)).status).toBe(404);
      expect((await fetch(`${address}/api/v1/entries/clicks/x`)).status).toBe(400);
      const owners = await fetchJson<{ readonly partitions: readonly { readonly owner: { readonly name: string } }[] }>(
        address,
        '/api/v1/owners/visits',
      );
      expect(owners.partitions.map(({ owner }) => owner.name).sort()).toEqual(['a', 'a', 'b', 'b']);
    }
    expect(partitions.size).toBe(scenario.partitions);
    await expectDocumented(addresses[0]!, DOCUMENTED);

    const byKey = directory({ urls: [addresses[0]!], pipeline: 'visits' });
    const found = await byKey.getAll(keys);
    expect(found.map(({ state }) => state)).toEqual([...users.map(() => 'live'), 'none']);
    const [one, none] = await Promise.all([byKey.get(users[1]!), byKey.get('stranger')]);
    expect([one, none]).toMatchObject([{ state: 'live', eventCount: 2 }, { state: 'none' }]);
    await expect(directory({ urls: addresses, pipeline: 'clicks' }).get('x')).rejects.toThrow(
      'no pipeline clicks here: visits',
    );

    await kill(b.child);
    const left = addresses[0]!;
    const states = new Set<string>();
    let live = 0;
    while (live < USERS) {
      const answers = await lookUpAll(left, users);
      for (const { state } of answers) states.add(state);
      live = answers.filter(({ state }) => state === 'live').length;
      await sleep(LOOK_MS);
    }
    expect([...states]).not.toContain('none');
    expect(states.size).toBeGreaterThan(1);
  });

  test('[Q1][Q2] with workers behind one port each key is answered for by the worker that has it', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
    const address = await addressOf(scenario.startWorkers(2));
    await ready(address);
    await scenario.producing(async (producer) => {
      await producer.send(users.map((key) => recordOf(key, '')));
    });
    // Acknowledged before it is asked.
    const answers = await lookUpAll(address, [...users, 'stranger'], 'now');
    expect(answers.map(({ state, from }) => `${state} by ${from}`)).toEqual([
      ...users.map(() => 'live by owner'),
      'none by owner',
    ]);
    expect(new Set(answers.map(({ owner }) => owner)).size).toBe(2);
  });
});
