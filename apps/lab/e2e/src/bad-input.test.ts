import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { Scenario, type ScenarioSettings } from './scenario.fixture.ts';
import { growTopics, offsetsUsed, partitionCounts } from './topics.fixture.ts';

/** Exit codes, documented by `flatline --help`; scripts rely on the numbers. */
const USAGE = 2;
const UNREACHABLE = 3;
const STATE_IN_USE = 4;
const PARTITION_STOPPED = 5;

const SETTINGS: ScenarioSettings = { timeoutMs: 60_000, partitions: 2 };

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Expects that it ends by itself with that code, prints no result, and says all of this to a person. */
async function refused(running: Running, code: number, says: readonly string[]): Promise<void> {
  const finished = await running.finished;
  expect({ code: finished.code, stdout: finished.stdout }).toEqual({ code, stdout: '' });
  for (const each of says) expect(finished.stderr).toContain(each);
  // A stack trace is for defects.
  expect(finished.stderr).not.toMatch(/\n\s+at /);
}

const run = (...flags: readonly string[]): Running => flatline(['run', '--config', scenario.config, ...flags]);
const runIn = (stateDir: string, env?: Readonly<Record<string, string>>): Running =>
  flatline(['run', '--config', scenario.config, '--state-dir', stateDir], env);

/** A port of this machine without a listener. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

/** Expects that nothing was written, and no directory made. */
async function expectUntouched(): Promise<void> {
  const used = await Promise.all(scenario.topics.map((topic) => offsetsUsed(scenario.kafka, topic, 2)));
  expect({ used, stateDir: existsSync(scenario.stateDir('a')) }).toEqual({ used: [0, 0, 0, 0], stateDir: false });
}

describe('[I4] what cannot work ends at once, says what to do, and leaves nothing half-done', () => {
  test('[I4] an unknown flag', async () => {
    scenario = Scenario.unprovisioned(SETTINGS);
    await refused(run('--sate-dir', 'x'), USAGE, ["unknown option '--sate-dir'", '--state-dir', '--help']);
  });

  test('[I4] a wrong value: every setting that is wrong, with its value', async () => {
    scenario = Scenario.unprovisioned(SETTINGS);
    scenario.configure({ timeoutMs: -5, tickMs: 0 });
    const says = ['pipelines[0].timeoutMs', '-5', 'pipelines[0].tickMs', '0'];
    await refused(run(), USAGE, says);
  });

  test('[I4] missing topics: each is named, none is created', async () => {
    scenario = Scenario.unprovisioned(SETTINGS);
    const { topics, kafka } = scenario;
    const says = topics.map((topic) => `${topic}: does not exist`);
    await refused(runIn(scenario.stateDir('a')), USAGE, [...says, 'flatline topics create']);
    expect(await partitionCounts(kafka, topics)).toEqual([0, 0, 0, 0]);
    expect(existsSync(scenario.stateDir('a'))).toBe(false);
  });

  test('[I4][O5] other partition counts: both numbers are named, nothing is written', async () => {
    scenario = await Scenario.create(SETTINGS);
    const { input, output, kafka } = scenario;
    await growTopics(kafka, [output], 3);
    const says = [`${output}: has 3 partitions, its input ${input} has 2`, 'remedy:'];
    await refused(runIn(scenario.stateDir('a')), USAGE, says);
    await expectUntouched();
  });

  test('[I4] a configuration that asks for another partition count than there is', async () => {
    scenario = await Scenario.create(SETTINGS);
    const { config, input, topics, kafka } = scenario;
    const creating = flatline(['topics', 'create', '--config', config, '--partitions', '5']);
    await refused(creating, USAGE, [`${input}: has 2 partitions, --partitions says 5`, 'leave --partitions out']);
    expect(await partitionCounts(kafka, topics)).toEqual([2, 2, 2, 2]);
  });

  test('[I4] no broker: the address and the setting', async () => {
    scenario = Scenario.unprovisioned(SETTINGS);
    const address = `127.0.0.1:${await closedPort()}`;
    const running = runIn(scenario.stateDir('a'), { KAFKA_BROKERS: address });
    await refused(running, UNREACHABLE, [address, 'KAFKA_BROKERS', 'start Kafka']);
    expect(existsSync(scenario.stateDir('a'))).toBe(false);
  });

  test('[I4] no schema registry: the address and the setting, and no topic is touched', async () => {
    scenario = await Scenario.create(SETTINGS);
    scenario.configure({ output: { topic: scenario.output, format: 'avro' } });
    const url = `http://127.0.0.1:${await closedPort()}`;
    const running = runIn(scenario.stateDir('a'), { SCHEMA_REGISTRY_URL: url });
    await refused(running, UNREACHABLE, [url, 'SCHEMA_REGISTRY_URL', 'Start it']);
    await expectUntouched();
  });

  test('[I4] a state directory that another process uses; that one runs on', async () => {
    scenario = await Scenario.create({ ...SETTINGS, timeoutMs: 500 });
    const first = scenario.start();
    await first.line(/task runs/);
    const dir = scenario.stateDir('a');
    await refused(runIn(dir), STATE_IN_USE, [dir, `process ${String(first.child.pid)}`, '--state-dir']);
    await scenario.producing((producer) => producer.send([{ key: Buffer.from('a'), value: new Uint8Array() }]));
    await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    expect(await scenario.stop(first)).toBe(0);
  });
});

describe('a changed configuration', () => {
  test('[S7] another timeout takes effect from the next activity, not before', async () => {
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 1 });
    const beat = (...keys: readonly string[]): Promise<unknown> =>
      scenario.producing((producer) =>
        producer.send(keys.map((key) => ({ key: Buffer.from(key), value: new Uint8Array() }))),
      );
    const before = scenario.start();
    await before.line(/task runs/);
    await beat('beats-again', 'quiet', 'ends');
    // Its close proves that the earlier records have been read under the first timeout.
    await scenario.producing((producer) => producer.send([{ key: Buffer.from('ends'), value: null }]));
    await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    expect(await scenario.stop(before)).toBe(0);

    scenario.configure({ timeoutMs: 1_000 });
    const after = scenario.start();
    await beat('beats-again', 'new');
    await scenario.outputs(({ tombstones }) => tombstones.length === 3);
    expect(await scenario.stop(after)).toBe(0);
    const { summaries } = await scenario.outputsNow();
    const closed = summaries.map(({ summary }) => [
      Buffer.from(summary.key).toString(),
      summary.timeoutMs,
      summary.eventCount,
    ]);
    expect(new Set(closed)).toEqual(
      new Set([
        ['ends', 600_000, 2],
        ['beats-again', 1_000, 2],
        ['new', 1_000, 1],
      ]),
    );
  });

  test('[R3] partitions added to all topics of an application that has state: refused, since keys have moved', async () => {
    scenario = await Scenario.create(SETTINGS);
    const { kafka, topics, input } = scenario;
    const before = scenario.start();
    await before.line(/task runs/);
    const key = Buffer.from('a');
    await scenario.producing((producer) =>
      producer.send([
        { key, value: new Uint8Array() },
        { key, value: null },
      ]),
    );
    // Its close proves that there is a commit: without state the partitions may be added.
    await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    await scenario.stop(before);
    await growTopics(kafka, topics, 3);
    await refused(runIn(scenario.stateDir('a')), PARTITION_STOPPED, [input, '3 partitions', '2']);
  });
});
