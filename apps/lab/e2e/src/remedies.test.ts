// What the program advises, done word for word by somebody in a hurry, with live sessions: it helps, and nothing is lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { type Finished, killAll, type Running } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { commitOffset, deleteTopic, growTopics, offsetsUsed, truncate } from './topics.fixture.ts';

const FAILED_CHECK = 1;
const USAGE = 2;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function makeTopic(topic: string, settings: Record<string, string>, partitions = 2): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
    await admin.createTopics([{ topic, partitions, replicationFactor: 1, settings }]);
  } finally {
    connection.close();
  }
}

async function alter(topic: string, settings: Record<string, string>): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    await new KafkaTopicAdmin({ clock: systemClock, connection }).alterSettings([{ topic, settings }]);
  } finally {
    connection.close();
  }
}

const beat = (...keys: readonly string[]): Promise<unknown> =>
  scenario.producing((producer) =>
    producer.send(keys.map((key) => ({ key: Buffer.from(key), value: new Uint8Array() }))),
  );

const ended = (...args: readonly string[]): Promise<Finished> => flatline(args).finished;
const check = (): Promise<Finished> => ended('topics', 'check', '--config', scenario.config);
const create = (): Promise<Finished> =>
  succeed(['topics', 'create', '--config', scenario.config, '--replication', '1', '--partitions', '2']);

/** The commands printed as remedies, each once, as they stand there. */
function commandsIn({ stdout, stderr }: Finished): string[][] {
  const printed = [...`${stdout}\n${stderr}`.matchAll(/remedy: (?:set .*: )?flatline (topics .+)$/gm)].map(
    ([, args = '']) => args,
  );
  return [...new Set(printed)].map((args) => args.split(' '));
}

async function obey(printed: Finished): Promise<void> {
  const commands = commandsIn(printed);
  expect(commands.length).toBeGreaterThan(0);
  for (const args of commands) await succeed(args);
}

async function closedKeys(count: number): Promise<string[]> {
  const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === count);
  return summaries.map(({ summary }) => Buffer.from(summary.key).toString()).sort();
}

async function runAll(running: Running, partitions = 2): Promise<void> {
  for (let partition = 0; partition < partitions; partition += 1)
    await running.line(new RegExp(`task runs.*"partition":${partition}\\b`));
}

describe('an existing topic', () => {
  test('[C6][R3] CreateTime, with a history: altered as advised it is a live input, and verify agrees', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2 });
    await makeTopic(scenario.input, {});
    await beat('old-a', 'old-b', 'old-c');
    const refused = await ended('topics', 'create', '--config', scenario.config);
    expect(refused.code).toBe(USAGE);
    expect(refused.stderr).toContain('message.timestamp.type is CreateTime');
    await obey(refused);
    await create();
    const running = scenario.start();
    await runAll(running);
    await beat('new-a', 'new-b');
    expect(await closedKeys(2)).toEqual(['new-a', 'new-b']);
    expect(await scenario.stop(running)).toBe(0);
    const verified = await ended('verify', '--config', scenario.config, '--complete', '--json');
    expect({ code: verified.code, stdout: verified.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('"formerTypeRecords":3'),
    });
  });

  test('[R3] from its latest record on: what came before the first start is passed, what came in a crash is not', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2, pipeline: { startFrom: 'latest' } });
    await makeTopic(scenario.input, { 'message.timestamp.type': 'LogAppendTime' });
    await beat('old-a', 'old-b', 'old-c', 'old-d');
    await create();
    const first = scenario.start();
    await runAll(first);
    first.child.kill('SIGKILL');
    await first.finished;
    await beat('new-a', 'new-b');
    const second = scenario.start();
    expect(await closedKeys(2)).toEqual(['new-a', 'new-b']);
    expect(await scenario.stop(second)).toBe(0);
    const verified = await ended('verify', '--config', scenario.config, '--complete', '--json');
    expect({ code: verified.code, stdout: verified.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('"recordsBeforeOrigin":4'),
    });
  });
});

describe('a topic that others read', () => {
  test('[C6] their groups are named before its timestamp type is altered, by the check and by the command', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2 });
    await makeTopic(scenario.input, {});
    await beat('a');
    const group = `audit-of-${scenario.input}`;
    // The first group of a broker makes it create its offsets topic.
    await check();
    await commitOffset(scenario.kafka, group, scenario.input, 0);
    const said = `group ${group} has committed offsets of it`;
    const asked = `if no other application reads the topic (${said})`;
    expect((await check()).stdout).toContain(asked);
    const refused = await ended('topics', 'create', '--config', scenario.config);
    expect(refused.stderr).toContain(asked);
    const shown = await ended('topics', 'alter', '--config', scenario.config);
    expect(shown.stderr).toContain(`warning: ${scenario.input}: ${said}`);
    await obey(refused);
    const again = await ended('topics', 'alter', '--config', scenario.config);
    expect(again.stderr).not.toContain(group);
  });
});

describe('an output that another application has written to', () => {
  test('[O3] is told by the check and at the first start, which goes on, and no more once this one has begun', async () => {
    scenario = await Scenario.create({ timeoutMs: 500, partitions: 2 });
    const first = scenario.start();
    // Into the second partition alone.
    await beat('d', 'f');
    expect(await closedKeys(2)).toEqual(['d', 'f']);
    await scenario.stop(first);
    expect((await check()).code).toBe(0);
    scenario.rename();
    scenario.configure({});
    const told = `${scenario.output}: holds records, and ${scenario.topics[2]!} has never held any`;
    expect((await create()).stderr).toContain(`warning: ${told}`);
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toContain(told);
    const second = scenario.start();
    await second.line(/warning: .*: holds records, and .* has never held any/);
    await runAll(second);
    await scenario.stop(second);
    expect((await check()).code).toBe(0);
    const third = scenario.start();
    await runAll(third);
    await scenario.stop(third);
    expect((await third.finished).stderr).not.toContain('holds records');
    // Records that were deleted name no owner.
    await truncate(scenario.kafka, scenario.output, 2);
    scenario.rename();
    scenario.configure({});
    expect((await create()).stderr).not.toContain('holds records');
  });
});

describe('with live sessions', () => {
  const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
  const MARKS = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];

  function beatAndEnd(keys: readonly string[]): Promise<unknown> {
    const records = keys.map((key) => Buffer.from(key));
    return scenario.producing((producer) =>
      producer.send([
        ...records.map((key) => ({ key, value: new Uint8Array() })),
        ...records.map((key) => ({ key, value: null })),
      ]),
    );
  }

  /** Six sessions that live on for a minute, in a changelog, and no processor. */
  async function sixLive(timeoutMs = 60_000): Promise<void> {
    scenario = await Scenario.create({ timeoutMs, partitions: 2 });
    const running = scenario.start();
    await runAll(running);
    await beat(...KEYS);
    // Read back, they show that everything before them is applied, in both partitions.
    await beatAndEnd(MARKS);
    await scenario.outputs(({ tombstones }) => tombstones.length === MARKS.length);
    expect(await scenario.stop(running)).toBe(0);
  }

  async function setTimestampType(type: string): Promise<void> {
    const connection = openCluster(scenario.kafka);
    const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
    await admin.alterSettings([{ topic: scenario.input, settings: { 'message.timestamp.type': type } }]);
    connection.close();
  }

  async function liveAgain(): Promise<number> {
    const running = scenario.start();
    const said = [0, 1].map((partition) => running.line(new RegExp(`task runs.*"partition":${partition}\\b`)));
    const lines = await Promise.all(said);
    return lines.reduce((sum, line) => sum + Number(/"liveEntries":(\d+)/.exec(line)![1]), 0);
  }

  test('[R3] an input that has grown: what is held is said, the one answer is another application, and it loses nothing', async () => {
    await sixLive();
    await growTopics(scenario.kafka, [scenario.input], 3);
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toMatch(/holds 6 live sessions, clock \d{4}-.*, begun with 2 partitions/);
    expect(checked.stdout).toContain('use another application name');
    expect(commandsIn(checked)).toEqual([]);
    expect((await ended('topics', 'create', '--config', scenario.config)).code).toBe(USAGE);
    expect((await ended('topics', 'alter', '--apply', '--config', scenario.config)).stdout).toContain(
      'Nothing that alter can mend',
    );
    const used = await offsetsUsed(scenario.kafka, scenario.topics[2]!, 2);
    // Another application on the same input: everyone is there again.
    scenario.rename();
    scenario.configure({ timeoutMs: 1_000 });
    // The output has as many partitions as the input had: it gets more, as advised.
    await obey(await ended('topics', 'create', '--config', scenario.config));
    await succeed(['topics', 'create', '--config', scenario.config, '--replication', '1']);
    const running = scenario.start();
    const keys = await closedKeys(MARKS.length * 2 + KEYS.length);
    expect(keys.filter((key) => !MARKS.includes(key))).toEqual(KEYS);
    await scenario.stop(running);
    expect(used).toBeGreaterThan(0);
  });

  test.each(['deleted', 'deleted and made again'])(
    '[R3] a changelog that was %s is restored or left: no command makes another in its place',
    async (what) => {
      await sixLive();
      const changelog = scenario.topics[2]!;
      await deleteTopic(scenario.kafka, changelog);
      if (what !== 'deleted') await makeTopic(changelog, { 'message.timestamp.type': 'LogAppendTime' });
      const checked = await check();
      expect(checked.code).toBe(FAILED_CHECK);
      expect(checked.stdout).toMatch(/has committed offsets of partitions 0, 1, of which .* has nothing/);
      expect(checked.stdout).toContain(
        'remedy: restore it from a replica or a backup; or use another application name',
      );
      expect(checked.stdout).not.toContain('topics create');
      const created = await ended('topics', 'create', '--config', scenario.config);
      expect(created.code).toBe(USAGE);
      expect(created.stderr).toContain('restore it from a replica or a backup');
    },
  );

  test('[R3] an input that was made again under its state is found by the check', async () => {
    await sixLive();
    await deleteTopic(scenario.kafka, scenario.input);
    await makeTopic(scenario.input, { 'message.timestamp.type': 'LogAppendTime' });
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toMatch(/is not the log that was read \(partition \d: .* but it ends at 0\)/);
    expect(checked.stdout).toContain('holds 6 live sessions');
  });

  test('[C6] a timestamp type changed in the configuration: it is changed back, and everyone lives on', async () => {
    await sixLive();
    scenario.configure({ input: { topic: scenario.input, timestampType: 'CreateTime' } });
    const refused = await ended('run', '--config', scenario.config, '--state-dir', scenario.stateDir('a'));
    expect(refused.code).toBe(USAGE);
    expect(refused.stderr).toContain('set input.timestampType to "LogAppendTime", as it was');
    expect(commandsIn(refused)).toEqual([]);
    scenario.configure({});
    expect(await liveAgain()).toBe(6);
  });

  test('[C6] altered to CreateTime and back while records came: what each message says leads through, and everyone lives on', async () => {
    await sixLive(600_000);
    await setTimestampType('CreateTime');
    await beat('a', 'b', 'c', 'd');
    await setTimestampType('LogAppendTime');
    await beat(...KEYS);
    const first = scenario.start();
    await first.line(/set input\.timestampType to \\"CreateTime\\" and restart/);
    await scenario.stop(first);
    scenario.configure({ input: { topic: scenario.input, timestampType: 'CreateTime' } });
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toContain('records of type CreateTime come next');
    const second = scenario.start();
    await Promise.all(
      [0, 1].map((partition) =>
        second.line(new RegExp(`in/${partition} offset \\d+ is of timestamp type LogAppendTime.*set input`)),
      ),
    );
    await scenario.stop(second);
    scenario.configure({});
    expect((await check()).code).toBe(0);
    expect(await liveAgain()).toBe(6);
  });

  test('[K7] every setting that may be wrong on the topics of a state: altered as advised, everyone lives on', async () => {
    await sixLive();
    const [input, output, changelog, deadLetters] = scenario.topics as [string, string, string, string];
    const connection = openCluster(scenario.kafka);
    const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
    await admin.alterSettings([
      { topic: input, settings: { 'message.timestamp.type': 'CreateTime', 'cleanup.policy': 'compact' } },
      { topic: output, settings: { 'cleanup.policy': 'compact', 'max.message.bytes': '500000' } },
      {
        topic: changelog,
        settings: {
          'retention.ms': '604800000',
          'retention.bytes': '1073741824',
          'segment.bytes': '1073741824',
          'message.timestamp.type': 'CreateTime',
          'max.message.bytes': '500000',
        },
      },
      { topic: deadLetters, settings: { 'max.message.bytes': '1000000' } },
    ]);
    connection.close();
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    // Its own group is no other reader.
    expect(checked.stdout).not.toContain('committed offsets of it');
    await obey(checked);
    expect((await check()).code).toBe(0);
    expect(await liveAgain()).toBe(6);
  });

  test('[O5] an output with too few partitions gets more, and keeps what it holds', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2 });
    await makeTopic(scenario.output, {}, 1);
    await makeTopic(scenario.input, { 'message.timestamp.type': 'LogAppendTime' });
    const refused = await ended('topics', 'create', '--config', scenario.config);
    expect(refused.stderr).toContain(`${scenario.output}: has 1 partition,`);
    await obey(refused);
    await create();
    expect((await check()).code).toBe(0);
  });
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
      await makeTopic(scenario.input, { 'message.timestamp.type': 'CreateTime', ...limits });
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
    await makeTopic(scenario.input, settings, 1);
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
    await makeTopic(scenario.input, { 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' }, 1);
    const file = join(scenario.folder, 'visits.jsonl');
    writeFileSync(file, '{"key":"k","at":"2026-01-01T00:00:00Z"}\n'.repeat(1_500_000));
    const brokers = scenario.kafka.brokers.join(',');
    const fields = ['--format', 'jsonl', '--key', 'key', '--time', 'at'];
    const importing = ended('import', file, '--topic', scenario.input, ...fields, '--brokers', brokers);
    while ((await offsetsUsed(scenario.kafka, scenario.input, 1)) === 0);
    // What the file was checked against holds no longer: from here on no record is taken, since a batch of none has more bytes.
    await alter(scenario.input, { 'max.message.bytes': '60' });
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
    await makeTopic(scenario.input, { 'retention.ms': '604800000' });
    expect((await create()).stderr).toContain('retention.ms is 604800000');
    const checked = await check();
    expect(checked.code).toBe(FAILED_CHECK);
    await obey(checked);
    expect((await check()).code).toBe(0);
  });
});
