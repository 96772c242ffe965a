// Several pipelines in one process, one of which cannot go on.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { addressOf } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { growTopics } from './topics.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const LOOK_MS = 50;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Gives the application a second pipeline, with an input of its own. */
async function addPipeline(): Promise<{ readonly input: string; readonly output: string }> {
  const [input, output] = [`${scenario.application}-other-in`, `${scenario.application}-other-out`];
  const config = JSON.parse(readFileSync(scenario.config, 'utf8')) as { pipelines: object[] };
  const [first] = config.pipelines;
  config.pipelines.push({ ...first, name: 'others', input: { topic: input }, output: { topic: output } });
  writeFileSync(scenario.config, JSON.stringify(config));
  await succeed(['topics', 'create', '--config', scenario.config, '--partitions', '1', '--replication', '1']);
  return { input, output };
}

async function end(topic: string, key: string): Promise<void> {
  const connection = openCluster(scenario.kafka);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  await producer.send([
    { key: Buffer.from(key), value: new Uint8Array() },
    { key: Buffer.from(key), value: null },
  ]);
  await producer.close();
  connection.close();
}

async function closed(topic: string, count: number): Promise<void> {
  const closes = async (): Promise<number> => (await readWhole(scenario.kafka, { topic, partitions: 1 })).flat().length;
  while ((await closes()) < count) await sleep(LOOK_MS);
}

describe('pipelines of one process', () => {
  test('[P1] one that must stop stops alone: readiness names it, and the other closes what it has', async () => {
    scenario = await Scenario.create({ timeoutMs: 60_000, partitions: 1 });
    const others = await addPipeline();
    const before = scenario.start();
    await end(scenario.input, 'a');
    await closed(scenario.output, 2);
    expect(await scenario.stop(before)).toBe(0);
    // Keys have moved under its state: only another application name helps.
    await growTopics(scenario.kafka, scenario.topics, 2);
    const after = scenario.start();
    await after.line(/the pipeline stops; the others go on/);
    await end(others.input, 'b');
    await closed(others.output, 2);
    const ready = await fetch(`${await addressOf(after)}/readyz`);
    expect(ready.status).toBe(503);
    const { reasons } = (await ready.json()) as { reasons: string[] };
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(new RegExp(`^visits has stopped: .*${scenario.input}`));
    expect(await scenario.stop(after)).toBe(0);
  });
});
