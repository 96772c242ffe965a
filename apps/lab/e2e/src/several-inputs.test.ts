// Sessions of a stream and a table, through kills, on a real broker (S8).
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { openSummaryConsumer, type SummaryRecord } from '@flatline/client/parts';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { kill, killAll } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { createTopic } from './topics.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const PARTITIONS = 2;
const ROWS = 3_000;
const KILLS = 3;
/** From its start a processor needs about a second to own its tasks. */
const LIFE_MS = 2_500;
const TIMEOUT_MS = 3_000;
const SEED = Number(process.env['SEED'] ?? 5);

let scenario: Scenario;
let table: string;

afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** `touches: false` of the table; a key of every tenth beat has no row. */
async function created(unknownKey: 'hold' | 'deadLetter' = 'hold'): Promise<void> {
  scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
  table = `${scenario.application}-table`;
  configure(unknownKey);
  const { config } = scenario;
  await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
}

function configure(unknownKey: 'hold' | 'deadLetter' = 'hold'): void {
  const held = unknownKey === 'hold' ? { holdMs: 600_000 } : {};
  scenario.configure({
    input: [{ topic: scenario.input }, { topic: table, touches: false, unknownKey, ...held }],
  });
}

/** Into any topic: murmur2 chooses the partitions, as everywhere. */
async function send(topic: string, keys: readonly string[], valueOf: (key: string) => string): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    for (let at = 0; at < keys.length; at += 500)
      await producer.send(
        keys.slice(at, at + 500).map((key) => ({ key: Buffer.from(key), value: Buffer.from(valueOf(key)) })),
      );
    await producer.close();
  } finally {
    connection.close();
  }
}

const keysUpTo = (count: number): string[] => Array.from({ length: count }, (_, i) => `visitor-${i}`);
const plan = (key: string): string => JSON.stringify({ type: 'ROW', attributes: { plan: `plan of ${key}` } });

/** Reads an output from its beginning until there are so many, sorted, without fields that no log decides. */
async function said(count: number, topic = scenario.output): Promise<readonly SummaryRecord['summary'][]> {
  const { consumer, close } = await openSummaryConsumer({ kafka: scenario.kafka, topic, from: 'beginning' });
  const found: SummaryRecord['summary'][] = [];
  try {
    for await (const record of consumer) {
      if (record.kind !== 'summary') continue;
      found.push({ ...record.summary, emittedAt: 0 });
      if (found.length === count) break;
    }
  } finally {
    await close();
  }
  return found.sort((a, b) => (a.incarnation < b.incarnation ? -1 : 1));
}

describe('a stream and a table', () => {
  test('[S8][F1][R1][S4][O1][C5] every session has its row, whatever is killed, and a replay says the same', async () => {
    await created();
    const random = seededRandom(SEED);
    const beaten = keysUpTo(ROWS + ROWS / 10);
    await send(table, keysUpTo(ROWS), plan);
    for (let part = 0; part < KILLS; part += 1) {
      const { child } = scenario.start();
      const of = beaten.filter((_, i) => i % KILLS === part);
      await Promise.all([send(scenario.input, of, () => ''), sleep(random.below(LIFE_MS))]);
      await kill(child);
    }
    const survivor = scenario.start();
    const found = await said(beaten.length);
    expect(await scenario.stop(survivor)).toBe(0);
    expect((await scenario.outputsNow()).summaries).toHaveLength(beaten.length);
    expect(found.filter(({ attributes }) => attributes.get('plan') !== undefined)).toHaveLength(ROWS);
    const verified = await expectVerified(scenario);
    expect(verified.incarnations).toBe(beaten.length);
    scenario.rename();
    scenario.configure({
      input: [{ topic: scenario.input }, { topic: table, touches: false, unknownKey: 'hold', holdMs: 600_000 }],
      output: { topic: `${scenario.output}-again` },
    });
    const { config } = scenario;
    await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
    const again = scenario.start('again');
    expect(await said(beaten.length, `${scenario.output}-again`)).toEqual(found);
    expect(await scenario.stop(again)).toBe(0);
  });

  test('[S8][I1] a row that no session waits for is a letter of its own topic, and goes back there', async () => {
    await created('deadLetter');
    await send(table, ['anna'], plan);
    const running = scenario.start();
    await send(scenario.input, ['anna'], () => '');
    await scenario.outputs(({ summaries }) => summaries.length === 1);
    const listed = await succeed(['dead-letters', 'list', '--config', scenario.config, '--json']);
    expect(listed.stdout).toContain('"unknown-key"');
    // However long the replay takes, the session is there when its row comes back.
    await send(scenario.input, ['anna'], () => JSON.stringify({ type: 'HEARTBEAT', timeoutMs: 600_000 }));
    const replayed = await flatline(['dead-letters', 'replay', '--all', '--config', scenario.config, '--json'])
      .finished;
    expect(replayed.stdout).toContain(`"topic":"${table}"`);
    await send(scenario.input, ['anna'], () => JSON.stringify({ type: 'ENDED' }));
    const { summaries } = await scenario.outputs((outputs) => outputs.summaries.length === 2);
    expect(summaries[1]!.summary.attributes.get('plan')).toBe('plan of anna');
    expect(await scenario.stop(running)).toBe(0);
    await expectVerified(scenario);
  });

  test('[S8][I4] other partition counts, and a table that is compacted, are refused at start, with a remedy', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
    table = `${scenario.application}-table`;
    configure();
    const settings = { 'message.timestamp.type': 'LogAppendTime' };
    await createTopic(scenario.kafka, scenario.input, { partitions: PARTITIONS, settings });
    await createTopic(scenario.kafka, table, {
      partitions: PARTITIONS + 1,
      settings: { ...settings, 'cleanup.policy': 'compact' },
    });
    const { code, stderr, stdout } = await scenario.start().finished;
    expect(code).not.toBe(0);
    const said = `${stdout}${stderr}`;
    expect(said).toContain(`has 3 partitions, ${scenario.input}, which is read with it as one, has 2`);
    expect(said).toMatch(/cleanup\.policy is compact.*copied, as it changes, to a topic of its own/);
  });
});
