// Acts of an operator on sessions and leases, on a real broker: over HTTP, by the SDK and by the command, through kills.
import { afterEach, expect, test } from '@jest/globals';
import { directory } from '@flatline/client';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kill, killAll, launch } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

const TIMEOUT_MS = 120_000;
const LOST = 3_000;
const OTHERS = 200;
const recipes = fileURLToPath(new URL('../../../../docs/recipes/', import.meta.url));

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const on = (key: string, attributes: Readonly<Record<string, string>>): ReturnType<typeof recordOf> =>
  recordOf(key, JSON.stringify({ type: 'STARTED', attributes }));

async function opened(records: readonly ReturnType<typeof recordOf>[]): Promise<void> {
  await scenario.producing(async (producer) => {
    await producer.send(records);
  });
}

/** Keys of the summaries, by reason and who ended them. */
async function closed(count: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const { summaries } = await scenario.outputs((found) => found.summaries.length >= count);
  const all = summaries.map(({ summary: { key, reason, byOperator } }) => ({
    key: Buffer.from(key).toString(),
    how: byOperator === true ? `${reason} by operator` : reason,
  }));
  return new Map([...Map.groupBy(all, ({ how }) => how)].map(([how, those]) => [how, those.map(({ key }) => key)]));
}

test('[Q4][F1] a lost gateway: all of its users end once, through kills of both instances; the checker finds nothing', async () => {
  scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
  const [a, b] = [scenario.start('a'), scenario.start('b')];
  const urls = [await addressOf(a), await addressOf(b)];
  for (const address of urls) await ready(address);
  const users = Array.from({ length: LOST }, (_, i) => `user-${i}`);
  const others = Array.from({ length: OTHERS }, (_, i) => `other-${i}`);
  await opened([...users.map((key) => on(key, { gateway: 'g1' })), ...others.map((key) => on(key, { gateway: 'g2' }))]);
  const visits = directory({ urls, pipeline: 'visits' });
  await visits.get(users[0]!, { proof: 'now' });
  const { topic, records } = await visits.evict({ attribute: 'gateway', equals: 'g1' });
  expect(topic).toBe(scenario.input);
  expect(records.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
  await Promise.all([kill(a.child), kill(b.child)]);
  const c = scenario.start('c');
  await sleep(300);
  await kill(c.child);
  const running = scenario.start('d');
  const address = await addressOf(running);
  await ready(address);
  const byReason = await closed(LOST);
  expect([...byReason.keys()]).toEqual(['EVICTED']);
  expect([...byReason.get('EVICTED')!].sort()).toEqual([...users].sort());

  const after = directory({ urls: [address], pipeline: 'visits' });
  expect((await after.getAll(others, { proof: 'now' })).every(({ state }) => state === 'live')).toBe(true);
  expect(await after.end('other-0')).toMatchObject({ topic: scenario.input });
  await succeed(['sessions', 'end', 'other-1', '--config', scenario.config]);
  await succeed(['entries', 'end', 'other-2', '--url', address]);
  await succeed(['entries', 'evict', '--attribute', 'gateway', '--equals', 'g2', '--url', address]);
  const all = await closed(LOST + OTHERS);
  expect(all.get('ENDED by operator')).toEqual(expect.arrayContaining(['other-0', 'other-1', 'other-2']));
  expect(all.get('ENDED by operator')).toHaveLength(3);
  expect(all.get('EVICTED')).toHaveLength(LOST + OTHERS - 3);
  await expect(after.flush('other-0')).rejects.toThrow('flush is no act on sessions: end, evict');
  await expect(directory({ urls: [address], pipeline: 'clicks' }).end('x')).rejects.toThrow('no pipeline clicks');
  expect(await scenario.stop(running)).toBe(0);
  expect(running.printed()).toMatch(/an operator acts.*evict/);
  await expectSound(scenario);
});

test('[Q4] what ends together: members of an owner whose session closes are evicted, as the recipe says', async () => {
  scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
  const running = scenario.start();
  const address = await addressOf(running);
  await ready(address);
  await opened([
    on('g1-a', { role: 'gateway' }),
    on('g2-b', { role: 'gateway' }),
    ...['anna', 'bert'].map((key) => on(key, { gateway: 'g1-a' })),
    on('cleo', { gateway: 'g2-b' }),
  ]);
  const brokers = scenario.kafka.brokers.join(',');
  const args = [brokers, scenario.output, 'gateway', 'gateway', 'visits', address];
  const program = launch(process.execPath, [
    '--conditions=@flatline/source',
    join(recipes, 'end-together.js'),
    ...args,
  ]);
  await opened([recordOf('g1-a', '{"type":"ENDED"}')]);
  await program.line(/^g1-a has ended/);
  const byReason = await closed(3);
  expect(byReason.get('ENDED')).toEqual(['g1-a']);
  expect([...byReason.get('EVICTED')!].sort()).toEqual(['anna', 'bert']);
  const visits = directory({ urls: [address], pipeline: 'visits' });
  expect(await visits.getAll(['g2-b', 'cleo'], { proof: 'now' })).toMatchObject([{ state: 'live' }, { state: 'live' }]);
  expect(await scenario.stop(running)).toBe(0);
  await expectSound(scenario);
});
