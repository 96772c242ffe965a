// Results of sessions and windows, on a real broker, with processors killed meanwhile; functions of an application, a state that
// evolves, and a function that does not return.
import { afterEach, describe, expect, test } from '@jest/globals';
import { connect, type Flatline, type SummaryRecord } from '@flatline/client';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { PARTITIONS, recordOf, recordsIn, sendUnderKills, textOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectSound, expectVerified, type Verified } from './verify.fixture.ts';

let scenario: Scenario;
let sdk: Flatline | undefined;
afterEach(async () => {
  await sdk?.close();
  sdk = undefined;
  await killAll();
  await scenario.dispose();
});

const PAGES = ['/', '/cart', '/pay', '/help'];
const REDUCER = {
  total: { sum: '/amount' },
  mean: { mean: '/amount' },
  plan: { last: '/attributes/plan' },
  pages: { set: { field: '/page', max: 3 } },
  way: { funnel: { field: '/page', steps: ['/', '/cart', '/pay'] } },
};

interface Reduced {
  readonly total: number;
  readonly plan: string | null;
  readonly pages: { readonly values: readonly string[]; readonly more: boolean };
  readonly way: { readonly reached: number };
}

/** The sessions of so many keys, once each has closed. */
async function closesOf(keys: number): Promise<readonly SummaryRecord['summary'][]> {
  const schemaRegistryUrl = process.env['SCHEMA_REGISTRY_URL'] ?? '';
  sdk = connect({ brokers: scenario.kafka.brokers, schemaRegistryUrl });
  const ending = new AbortController();
  const closed = new Map<string, SummaryRecord['summary'][]>();
  const { output: topic, application: group } = scenario;
  for await (const { summary } of sdk.summaries({ topic, group, signal: ending.signal })) {
    const key = textOf(summary.key);
    closed.set(key, [...(closed.get(key) ?? []), summary]);
    if (closed.size === keys) ending.abort();
  }
  return [...closed.values()].flat();
}

describe('[S10] built-in reducers', () => {
  test.each(['json', 'avro'] as const)(
    'in %s: each session has what its events come to, under kills',
    async (format) => {
      scenario = await Scenario.create({
        timeoutMs: 6_000,
        partitions: PARTITIONS,
        pipeline: { reducer: REDUCER },
      });
      scenario.configure({ output: { topic: scenario.output, format } });
      const amounts = new Map<string, number[]>();
      await sendUnderKills(scenario, (i, random) => {
        const key = `user-${random.below(6)}`;
        const amount = random.below(1_000) / 100;
        amounts.set(key, [...(amounts.get(key) ?? []), amount]);
        const event = { type: 'VIEW', amount, page: PAGES[random.below(4)], attributes: { plan: `p${i}` } };
        return [recordOf(key, JSON.stringify(event)), recordOf(key, '')];
      });
      const summaries = await closesOf(amounts.size);
      for (const { key, reduced, attributes } of summaries) {
        const { total, plan, pages, way } = reduced as Reduced;
        expect(total).toBeCloseTo(
          amounts.get(textOf(key))!.reduce((sum, each) => sum + each, 0),
          9,
        );
        expect(plan).toBe(attributes.get('plan'));
        expect(pages.values.length).toBeLessThanOrEqual(3);
        expect(way.reached).toBeLessThanOrEqual(3);
      }
      await expectVerified(scenario);
    },
  );

  test('in the batches of a window', async () => {
    const pipeline = { kind: 'debounce', waitMs: 300, reducer: { total: { sum: '/amount' }, last: { last: '/name' } } };
    scenario = await Scenario.create({ partitions: PARTITIONS, pipeline: pipeline as object });
    await sendUnderKills(
      scenario,
      (i, random) => [recordOf(`k${random.below(4)}`, JSON.stringify({ amount: i, name: `n${i}` }))],
      (random) => random.below(250),
    );
    const batches = async (): Promise<
      readonly { readonly count: number; readonly items: readonly { value: unknown }[] }[]
    > => {
      const records = (await recordsIn(scenario, scenario.output)).flat();
      return records.map(({ value }) => JSON.parse(textOf(value)) as Awaited<ReturnType<typeof batches>>[number]);
    };
    let said = await batches();
    while (said.reduce((sum, { count }) => sum + count, 0) < 120) said = await batches();
    const totals = said.map(({ items }) => (items[0]!.value as { readonly total: number }).total);
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe((120 * 121) / 2);
    await expectSound(scenario);
  });
});

/** Sources of the checkout, where a configuration of an application would say 'flatline'. */
const CONFIG = new URL('../../../../libs/shell/config/src/index.ts', import.meta.url).href;
/** The command runs from its sources. */
const FROM_SOURCES = { NODE_OPTIONS: '' };

/** A configuration in JavaScript, of which `reducer` is an expression. */
function configured(reducer: string): string {
  const file = join(scenario.folder, 'flatline.config.mjs');
  const pipeline = `{
    name: 'visits', kind: 'session', timeoutMs: 1_500, reducer,
    input: { topic: '${scenario.input}' }, output: { topic: '${scenario.output}' },
  }`;
  writeFileSync(
    file,
    `import { defineReducer } from ${JSON.stringify(CONFIG)};
const reducer = ${reducer};
export default {
  application: '${scenario.application}', brokers: ${JSON.stringify(scenario.kafka.brokers)}, http: { port: 0 },
  kafka: { sessionTimeoutMs: 3_000, heartbeatIntervalMs: 300 }, pipelines: [${pipeline}],
};
`,
  );
  return file;
}

function start(config: string): Running {
  const args = ['run', '--config', config, '--json', '--instance', 'a', '--state-dir', scenario.stateDir('a')];
  return flatline(args, FROM_SOURCES);
}

const record = (...fields: readonly string[]): string =>
  `{ type: 'record', name: 'Basket', fields: [${fields.join(', ')}] }`;
const basket = (state: string, initial: string, add: string): string =>
  `defineReducer({ state: ${state}, initial: () => (${initial}), add: ${add}, merge: (a) => a })`;
const COUNT = "{ name: 'count', type: 'int' }";
const COUNTED = `(state, { fields }) => {
  if (fields.item === 'bad') throw new Error('no such item');
  return { ...state, count: state.count + 1 };
}`;

async function send(...values: readonly object[]): Promise<void> {
  await scenario.producing((producer) => producer.send(values.map((value) => recordOf('anna', JSON.stringify(value)))));
}

describe('[S10] reducers of an application', () => {
  test('functions of a configuration in JavaScript: what throws is a dead letter; a state evolves, or is refused by its field', async () => {
    scenario = await Scenario.create({ timeoutMs: 1_500, partitions: 1 });
    let running = start(configured(basket(record(COUNT), '{ count: 0 }', COUNTED)));
    await send({ item: 'a' }, { item: 'bad' }, { item: 'b' });
    const { summaries: first } = await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    expect(first[0]!.summary).toMatchObject({ reduced: { count: 2 }, eventCount: 2 });
    const letters = (await recordsIn(scenario, scenario.topics[3]!)).flat();
    expect(letters.map(({ headers }) => textOf(headers.find(({ name }) => name === 'flatline-reason')!.value))).toEqual(
      ['reducer-failed'],
    );
    // A session that lives through the change: what comes behind it is closed, so it is committed.
    await send({ item: 'a', timeoutMs: 60_000 });
    await scenario.producing((producer) => producer.send([recordOf('bob', '{"item":"x"}'), recordOf('bob', null)]));
    await scenario.outputs(({ tombstones }) => tombstones.length === 2);
    expect(await scenario.stop(running)).toBe(0);

    const refused = await start(
      configured(basket(record("{ name: 'count', type: 'string' }"), "{ count: '' }", '(s) => s')),
    ).finished;
    expect({ code: refused.code, said: refused.stdout + refused.stderr }).toEqual({
      code: 2,
      said: expect.stringContaining('reducer: count: it was int and is now string'),
    });

    const more = record("{ name: 'count', type: 'long' }", "{ name: 'seen', type: 'boolean', default: false }");
    running = start(
      configured(basket(more, '{ count: 0, seen: false }', '(s) => ({ count: s.count + 10, seen: true })')),
    );
    await send({ item: 'c', timeoutMs: 1_000 });
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 3);
    expect(summaries[2]!.summary.reduced).toEqual({ count: 11, seen: true });
    expect(await scenario.stop(running)).toBe(0);

    const args = ['verify', '--config', join(scenario.folder, 'flatline.config.mjs'), '--json', '--complete'];
    const { stdout, code } = await flatline(args, FROM_SOURCES).finished;
    const { violations, undecided } = JSON.parse(stdout) as Verified;
    expect({ violations, code }).toEqual({ violations: [], code: 0 });
    // The former functions are not those of today, nor what they threw at.
    expect(undecided).toEqual([
      expect.stringContaining('by a reducer of another version or schema'),
      expect.stringContaining('offset 1: its reducer refused it'),
    ]);
  });

  test('one that does not return ends the process, which names the record', async () => {
    scenario = await Scenario.create({ timeoutMs: 1_500, partitions: 1 });
    const loops = "(state, { fields }) => { while (fields.item === 'loop'); return state; }";
    const running = start(configured(basket(record(COUNT), '{ count: 0 }', loops)));
    await send({ item: 'a' }, { item: 'loop' });
    await running.line(/does not return/);
    const { code, stderr } = await running.finished;
    expect({ code, signal: running.child.signalCode }).toEqual({ code: null, signal: 'SIGKILL' });
    expect(stderr).toContain(
      `pipeline visits: a function of its reducer does not return, for the record at ${scenario.input}/0 offset 1`,
    );
  });
});
