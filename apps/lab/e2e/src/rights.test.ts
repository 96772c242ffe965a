// The rights that OPERATIONS lists for a processor's user: they suffice, and none can be left out.
import type { RunningBroker } from '@flatline/dev-broker';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { killAll } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { allowOnly, type Right } from './kafkajs-acls.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { asGuest, listenerOf, startSecuredBroker } from './secured.fixture.ts';
import { verify } from './verify.fixture.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../../../docs/OPERATIONS.md', import.meta.url)), 'utf8');
const GUEST = 'User:guest';

type Operation = Right['operation'];
type Place = 'input' | 'output' | 'dead letters' | 'changelog' | 'group' | 'transactional ids';

/** The rows of the page's table. */
const TABLE: readonly (readonly [Place, readonly Operation[]])[] = [
  ['input', ['READ', 'WRITE', 'DESCRIBE_CONFIGS']],
  ['output', ['WRITE', 'DESCRIBE_CONFIGS']],
  ['dead letters', ['WRITE', 'DESCRIBE_CONFIGS']],
  ['changelog', ['READ', 'WRITE', 'DELETE', 'DESCRIBE_CONFIGS']],
  ['group', ['READ']],
  ['transactional ids', ['WRITE']],
];
const EACH = TABLE.flatMap(([place, operations]) => operations.map((operation) => [operation, place] as const));

let broker: RunningBroker;
let scenario: Scenario;
beforeAll(async () => {
  broker = await startSecuredBroker();
  const listener = listenerOf(broker, 'sasl-scram-sha-512');
  process.env['KAFKA_BROKERS'] = listener.address;
  scenario = await Scenario.create({ timeoutMs: 2_000, partitions: 2, listener });
  scenario.enterBy(asGuest(listener));
});
afterAll(async () => {
  await killAll();
  await scenario.dispose();
  await broker.stop();
});

function nameOf(place: Place): Pick<Right, 'on' | 'name' | 'prefix'> {
  const own = `${scenario.application}.visits`;
  switch (place) {
    case 'input':
      return { on: 'TOPIC', name: scenario.input };
    case 'output':
      return { on: 'TOPIC', name: scenario.output };
    case 'dead letters':
      return { on: 'TOPIC', name: `${own}.dead-letters` };
    case 'changelog':
      return { on: 'TOPIC', name: `${own}.changelog` };
    case 'group':
      return { on: 'GROUP', name: own };
    case 'transactional ids':
      return { on: 'TRANSACTIONAL_ID', name: `${own}.`, prefix: true };
  }
}

async function allow(rights: typeof EACH): Promise<void> {
  await allowOnly(
    broker.bootstrap,
    GUEST,
    rights.map(([operation, place]) => ({ ...nameOf(place), operation })),
  );
}

describe('the rights of a processor', () => {
  test('are those of the page', () => {
    for (const [place, operations] of TABLE) {
      const row = PAGE.split('\n').find((line) => line.startsWith(`| ${place} `)) ?? '';
      expect(row.split('|')[2]?.trim().startsWith(operations.join(', '))).toBe(true);
    }
  });

  test('[S2][O2] are enough, even for the bare table: sessions close, and doctor finds nothing wrong', async () => {
    await allow(EACH);
    const processor = scenario.start();
    await scenario.producing((producer) => producer.send([{ key: Buffer.from('a'), value: new Uint8Array() }]));
    await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    const looked = await flatline(['doctor', '--config', scenario.config]).finished;
    expect(looked.stdout).toContain('rights: all that a processor needs');
    expect(await scenario.stop(processor)).toBe(0);
    const asGuestOnly = readFileSync(scenario.config, 'utf8');
    scenario.configure({});
    expect(await verify(scenario)).toMatchObject({ violations: [], closed: 1 });
    writeFileSync(scenario.config, asGuestOnly);
  });

  test.each(EACH)('without %s on %s: it ends at once, and names both', async (operation, place) => {
    await allow(EACH.filter((each) => each[0] !== operation || each[1] !== place));
    const processor = scenario.start();
    const { code, stderr } = await processor.finished;
    expect(code).toBe(5);
    const { name } = nameOf(place);
    expect(stderr).toContain(name);
    expect(stderr).toMatch(new RegExp(`grant (it|this principal) [A-Z_, and]*${operation}`));
  });
});
