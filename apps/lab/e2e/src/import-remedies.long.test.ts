// Imports that a topic would refuse or not keep, or that fail midway: the program's advice, followed word for word, helps.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Finished, killAll } from './child.fixture.ts';
import { checkTopics, createTopics, ended, FAILED_CHECK, obey, USAGE } from './remedies.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { alterTopics, createTopic, offsetsUsed } from './topics.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

describe('an import', () => {
  const old = '10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x"\n';

  async function importInto(topic: string): Promise<Finished> {
    const file = join(scenario.folder, 'access.log');
    writeFileSync(file, old);
    return ended('import', file, '--topic', topic, '--format', 'apache', '--brokers', scenario.kafka.brokers.join(','));
  }

  test.each([
    ['time', { 'retention.ms': '604800000' }],
    ['the age it takes', { 'message.timestamp.before.max.ms': '604800000' }],
    ['time and size', { 'retention.ms': '604800000', 'retention.bytes': '10' }],
  ])(
    '[C2] that the topic would not take or keep by %s is refused; after the command it prints, it is done',
    async (_by, limits) => {
      scenario = Scenario.unprovisioned({ timeoutMs: 1_000, timestampType: 'CreateTime', partitions: 2 });
      await createTopic(scenario.kafka, scenario.input, {
        partitions: 2,
        settings: { 'message.timestamp.type': 'CreateTime', ...limits },
      });
      const refused = await importInto(scenario.input);
      expect(refused.code).toBe(USAGE);
      expect(await offsetsUsed(scenario.kafka, scenario.input, 2)).toBe(0);
      await obey(refused);
      expect((await importInto(scenario.input)).code).toBe(0);
      expect(await offsetsUsed(scenario.kafka, scenario.input, 2)).toBe(3);
    },
  );

  test('[C2] is refused where what the topic holds leaves no room for it; after the command it prints, all is kept', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, timestampType: 'CreateTime', partitions: 1 });
    const settings = { 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1', 'retention.bytes': '1000' };
    await createTopic(scenario.kafka, scenario.input, { partitions: 1, settings });
    await scenario.producing((producer) =>
      producer.send([{ key: Buffer.from('held'), value: Buffer.alloc(1_000, ' ') }]),
    );
    const refused = await importInto(scenario.input);
    expect(refused.code).toBe(USAGE);
    expect(refused.stderr).toMatch(
      /would delete older records .*retention\.bytes is 1000 a partition, one holds 1,\d+ bytes/,
    );
    expect(await offsetsUsed(scenario.kafka, scenario.input, 1)).toBe(1);
    await obey(refused);
    expect((await importInto(scenario.input)).code).toBe(0);
    expect(await offsetsUsed(scenario.kafka, scenario.input, 1)).toBe(3);
  });

  test('[C2] that breaks off says how many records were taken', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, timestampType: 'CreateTime', partitions: 1 });
    await createTopic(scenario.kafka, scenario.input, {
      partitions: 1,
      settings: { 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' },
    });
    const file = join(scenario.folder, 'visits.jsonl');
    writeFileSync(file, '{"key":"k","at":"2026-01-01T00:00:00Z"}\n'.repeat(1_500_000));
    const brokers = scenario.kafka.brokers.join(',');
    const fields = ['--format', 'jsonl', '--key', 'key', '--time', 'at'];
    const importing = ended('import', file, '--topic', scenario.input, ...fields, '--brokers', brokers);
    while ((await offsetsUsed(scenario.kafka, scenario.input, 1)) === 0);
    // The topic has changed since the file was checked against it: from here on no record is accepted, since every batch is larger.
    await alterTopics(scenario.kafka, { [scenario.input]: { 'max.message.bytes': '60' } });
    const broken = await importing;
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toContain('MESSAGE_TOO_LARGE');
    const said = /Broken off: known to be imported are ([\d,]+) of 1,500,000 records, and no clock records/;
    const known = Number(said.exec(broken.stderr)?.[1]?.replaceAll(',', ''));
    expect(known).toBeGreaterThan(0);
    expect(known).toBeLessThanOrEqual(await offsetsUsed(scenario.kafka, scenario.input, 1));
    expect(await offsetsUsed(scenario.kafka, scenario.input, 1)).toBeLessThan(1_500_000);
  });

  test('[K7] check and create say that an existing CreateTime topic would not keep it; obeyed, the check passes', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, timestampType: 'CreateTime', partitions: 2 });
    await createTopic(scenario.kafka, scenario.input, { partitions: 2, settings: { 'retention.ms': '604800000' } });
    expect((await createTopics(scenario)).stderr).toContain('retention.ms is 604800000');
    const checked = await checkTopics(scenario);
    expect(checked.code).toBe(FAILED_CHECK);
    await obey(checked);
    expect((await checkTopics(scenario)).code).toBe(0);
  });
});
