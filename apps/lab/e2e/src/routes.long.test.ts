// An output that brings about a record of another pipeline, on a real broker: exactly once, from end to end.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { readFileSync, writeFileSync } from 'node:fs';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { recordOf, textOf } from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { createTopic } from './topics.fixture.ts';
import { expectSound, verify } from './verify.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const LOOK_MS = 50;
const PARTITIONS = 2;
const TARGET_PARTITIONS = 3;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Sessions whose timeout schedules a reminder, and whose end cancels it. */
async function remindingScenario(): Promise<{ readonly reminders: string; readonly due: string }> {
  scenario = Scenario.unprovisioned({ timeoutMs: 600, partitions: PARTITIONS });
  const [reminders, due] = [`${scenario.application}-reminders`, `${scenario.application}-due`];
  scenario.configure({
    routes: [
      { on: ['TIMEOUT'], to: reminders, value: '/incarnation', headers: { 'flatline-delay-ms': '/attributes/wait' } },
      { on: ['ENDED'], to: reminders, value: null },
    ],
  });
  const config = JSON.parse(readFileSync(scenario.config, 'utf8')) as { pipelines: object[] };
  const target = { name: 'reminders', kind: 'schedule', input: { topic: reminders }, output: { topic: due } };
  const create = ['topics', 'create', '--config', scenario.config, '--replication', '1', '--partitions'];
  // Each with partitions of its own number.
  await succeed([...create, String(PARTITIONS)]);
  writeFileSync(scenario.config, JSON.stringify({ ...config, pipelines: [target] }));
  await succeed([...create, String(TARGET_PARTITIONS)]);
  writeFileSync(scenario.config, JSON.stringify({ ...config, pipelines: [...config.pipelines, target] }));
  return { reminders, due };
}

describe('routes of sessions to schedules', () => {
  test('[P3] a timeout schedules a reminder, which the next end of that key cancels before it is due', async () => {
    const { reminders, due } = await remindingScenario();
    const processor = scenario.start();
    const recordsOf = async (topic: string) => {
      const all = (await readWhole(scenario.kafka, { topic, partitions: TARGET_PARTITIONS })).flat();
      return all.filter(({ key }) => key !== null).map(({ key, value }) => [textOf(key), textOf(value)]);
    };
    const waiting = (wait: string): string => JSON.stringify({ type: 'VIEW', attributes: { wait } });
    await scenario.producing(async (producer) => {
      await producer.send([
        ...['anna', 'bert'].map((key) => recordOf(key, waiting('3600000'))),
        ...['cleo', 'dora'].map((key) => recordOf(key, waiting('500'))),
      ]);
      await scenario.outputs((all) => all.summaries.length === 4);
      // Back again in time, and gone by a word of their own.
      await producer.send(['anna', 'bert'].flatMap((key) => [recordOf(key, ''), recordOf(key, null)]));
      while ((await recordsOf(due)).length < 2) await sleep(LOOK_MS);
    }, processor);
    const { summaries } = await scenario.outputs((all) => all.summaries.length === 6);
    expect(await scenario.stop(processor)).toBe(0);
    const timedOut = summaries
      .filter(({ summary }) => summary.reason === 'TIMEOUT')
      .map(({ summary }) => summary.incarnation);
    const came = (await recordsOf(due)).sort();
    expect(came.map(([key]) => key)).toEqual(['cleo', 'dora']);
    for (const [, incarnation] of came) expect(timedOut).toContain(incarnation);
    expect(await recordsOf(reminders)).toHaveLength(6);
    const { reach } = await expectSound(scenario, '--pipeline', 'visits');
    expect(reach['routed']).toBe(6);
    // No schedule is left: both cancels have found theirs.
    expect((await expectSound(scenario, '--pipeline', 'reminders')).open).toBe(0);
  }, 60_000);
});

describe('routes that change from start to start', () => {
  const FIRST = { on: ['TIMEOUT'], key: '/attributes/site', value: '/incarnation' };
  const FORGED = { key: Buffer.from('north'), value: Buffer.from('0-0') };

  test('[P3] each record is judged by the routes of its own commit, also in a topic to which none leads any more', async () => {
    scenario = await Scenario.create({ timeoutMs: 600, partitions: PARTITIONS });
    const [former, later] = [`${scenario.application}-former`, `${scenario.application}-later`];
    await createTopic(scenario.kafka, former, { partitions: TARGET_PARTITIONS, settings: {} });
    await createTopic(scenario.kafka, later, { partitions: 1, settings: {} });
    const versions = [
      [],
      [{ ...FIRST, to: former }],
      [
        { ...FIRST, to: later, key: 'all', headers: { of: '/attributes/site' } },
        { on: ['ENDED'], to: former },
      ],
      [],
    ];
    let said = 0;
    for (const routes of versions) {
      scenario.configure(routes.length > 0 ? { routes } : {});
      const processor = scenario.start();
      await scenario.producing(async (producer) => {
        for (const site of ['north', 'south'])
          await producer.send([recordOf(`${site}-${said}`, JSON.stringify({ type: 'VIEW', attributes: { site } }))]);
        await producer.send([recordOf(`gone-${said}`, ''), recordOf(`gone-${said}`, null)]);
        said += 3;
        await scenario.outputs((all) => all.summaries.length === said);
      }, processor);
      expect(await scenario.stop(processor)).toBe(0);
    }
    // One without a site is a dead letter, by the second and third versions.
    const { reach } = await expectSound(scenario);
    expect(reach['routed']).toBe(2 + 3);
    const connection = openCluster(scenario.kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: former });
    const origin = Buffer.from(`${scenario.application}.visits/0/1/0`);
    await producer.send([{ ...FORGED, headers: [{ name: 'flatline-route', value: origin }] }]);
    await producer.close();
    connection.close();
    const { violations } = await verify(scenario);
    expect(violations).toMatchObject([{ rule: 'P3', topic: former }]);
  }, 240_000);
});

/** The configuration of a recipe of docs/ROUTES.md, with topics of the scenario's own and shorter times. */
function recipe(number: number): { readonly pipelines: readonly Readonly<Record<string, unknown>>[] } {
  const page = readFileSync(new URL('../../../../docs/ROUTES.md', import.meta.url), 'utf8');
  const [, json = ''] = [...page.matchAll(/^```json\n([^]*?)^```$/gm)][number]!;
  const quick = json
    .replaceAll(/"(topic|to)": "/g, `$&${scenario.application}-`)
    .replaceAll(/"(timeoutMs|waitMs)": "\w+"/g, '"$1": 1000')
    .replaceAll(/"flatline-delay-ms": "\w+"/g, '"flatline-delay-ms": "1s"');
  return JSON.parse(quick) as ReturnType<typeof recipe>;
}

async function provisionRecipe(number: number): Promise<void> {
  scenario = Scenario.unprovisioned({ partitions: PARTITIONS });
  scenario.setting('pipelines', recipe(number).pipelines);
  const create = ['topics', 'create', '--config', scenario.config, '--replication', '1'];
  await succeed([...create, '--partitions', String(PARTITIONS)]);
}

describe('the recipes of docs/ROUTES.md', () => {
  const own = (topic: string): string => `${scenario.application}-${topic}`;

  async function send(topic: string, records: readonly ReturnType<typeof recordOf>[]): Promise<void> {
    const connection = openCluster(scenario.kafka);
    try {
      const producer = await BatchProducer.open({ clock: systemClock, connection, topic: own(topic) });
      await producer.send([...records]);
      await producer.close();
    } finally {
      connection.close();
    }
  }

  /** Waits for so many values of a topic; key and value of each, as text. */
  async function come(topic: string, count: number): Promise<string[][]> {
    for (;;) {
      const all = (await readWhole(scenario.kafka, { topic: own(topic), partitions: PARTITIONS })).flat();
      const said = all.filter(({ key, value }) => key !== null && value !== null);
      if (said.length >= count) return said.map(({ key, value }) => [textOf(key), textOf(value)]).sort();
      await sleep(LOOK_MS);
    }
  }

  test('[P3] did, or did not do it: a full cart is reminded of, and no other', async () => {
    await provisionRecipe(0);
    const processor = scenario.start();
    const cart = (of: string): string => JSON.stringify({ type: 'VIEW', attributes: { cart: of } });
    await send('visit-events', [recordOf('anna', cart('full')), recordOf('bert', cart('empty'))]);
    const [[key, message] = []] = await come('reminders-due', 1);
    expect([key, (JSON.parse(message!) as { reason: string }).reason]).toEqual(['anna', 'TIMEOUT']);
    expect(await scenario.stop(processor)).toBe(0);
    for (const name of ['visits', 'reminding']) await expectSound(scenario, '--pipeline', name);
  }, 60_000);

  test('[P3] one alert for each site: leases that expire are one batch, and one without a site is a dead letter', async () => {
    await provisionRecipe(1);
    const processor = scenario.start();
    const start = (site?: string): string =>
      JSON.stringify({ type: 'STARTED', attributes: site === undefined ? {} : { site } });
    await send('gateway-beats', [
      recordOf('g1', start('north')),
      recordOf('g2', start('north')),
      recordOf('g3', start()),
    ]);
    const [[key, batch] = []] = await come('alerts', 1);
    expect(key).toBe('north');
    const { items } = JSON.parse(batch!) as { items: { value: string }[] };
    expect(items.map(({ value }) => value).sort()).toEqual(['g1', 'g2']);
    expect(await scenario.stop(processor)).toBe(0);
    for (const name of ['gateways', 'alerts']) await expectSound(scenario, '--pipeline', name);
    const letters = await succeed([
      'dead-letters',
      'list',
      '--config',
      scenario.config,
      '--pipeline',
      'gateways',
      '--json',
    ]);
    expect(letters.stdout).toMatch(/unroutable.*nothing at \/attributes\/site/s);
  }, 60_000);

  test("[P3] a batch's silence ends a session", async () => {
    await provisionRecipe(2);
    const processor = scenario.start();
    await send('upload-events', [recordOf('file', '')]);
    await send('upload-parts', [recordOf('file', 'part 1'), recordOf('file', 'part 2')]);
    const [[, batch] = []] = await come('uploaded-parts', 1);
    expect(JSON.parse(batch!)).toMatchObject({ reason: 'QUIET', count: 2 });
    await come('uploads', 1);
    expect(await scenario.stop(processor)).toBe(0);
    for (const name of ['parts', 'uploads']) await expectSound(scenario, '--pipeline', name);
  }, 60_000);
});
