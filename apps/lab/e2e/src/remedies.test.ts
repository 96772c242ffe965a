// The program's advice, followed word for word by somebody in a hurry, with live sessions: it helps, and nothing is lost.
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { checkTopics, commandsIn, createTopics, ended, FAILED_CHECK, obey, USAGE } from './remedies.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import {
  alterTopics,
  commitOffset,
  createTopic,
  deleteTopic,
  growTopics,
  offsetsUsed,
  truncate,
} from './topics.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const beat = (...keys: readonly string[]): Promise<unknown> =>
  scenario.producing((producer) =>
    producer.send(keys.map((key) => ({ key: Buffer.from(key), value: new Uint8Array() }))),
  );

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
    await createTopic(scenario.kafka, scenario.input, { partitions: 2, settings: {} });
    await beat('old-a', 'old-b', 'old-c');
    const refused = await ended('topics', 'create', '--config', scenario.config);
    expect(refused.code).toBe(USAGE);
    expect(refused.stderr).toContain('message.timestamp.type is CreateTime');
    await obey(refused);
    await createTopics(scenario);
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
    await createTopic(scenario.kafka, scenario.input, {
      partitions: 2,
      settings: { 'message.timestamp.type': 'LogAppendTime' },
    });
    await beat('old-a', 'old-b', 'old-c', 'old-d');
    await createTopics(scenario);
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

describe('an input that has grown where nothing lives', () => {
  test('[R3] goes on under its name, as advised: what was closed is not closed again, and what comes is', async () => {
    scenario = await Scenario.create({ timeoutMs: 1_000, partitions: 1 });
    const first = scenario.start();
    await beat('before');
    expect(await closedKeys(1)).toEqual(['before']);
    expect(await scenario.stop(first)).toBe(0);
    await growTopics(scenario.kafka, [scenario.input], 2);
    const advice = (await checkTopics(scenario)).stdout;
    const [, timestamp] = /nothing lives: .*startFrom to \{ "timestamp": "([^"]+)" \}/.exec(advice) ?? [];
    expect(advice).toContain('flatline reset');
    for (const args of [
      ['reset', '--confirm', scenario.application],
      ['topics', 'alter', '--apply'],
    ])
      expect((await ended(...args, '--config', scenario.config)).code).toBe(0);
    scenario.configure({ startFrom: { timestamp: timestamp! } });
    expect((await checkTopics(scenario)).code).toBe(0);
    const second = scenario.start();
    await beat('d', 'e', 'f', 'g');
    expect(await closedKeys(5)).toEqual(['before', 'd', 'e', 'f', 'g']);
    expect(await scenario.stop(second)).toBe(0);
  });
});

describe('a topic that others read', () => {
  test('[C6] their groups are named before its timestamp type is altered, by the check and by the command', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2 });
    await createTopic(scenario.kafka, scenario.input, { partitions: 2, settings: {} });
    await beat('a');
    const group = `audit-of-${scenario.input}`;
    // The first group of a broker makes it create its offsets topic.
    await checkTopics(scenario);
    await commitOffset(scenario.kafka, group, scenario.input, 0);
    const said = `group ${group} has committed offsets of it`;
    const asked = `if no other application reads the topic (${said})`;
    expect((await checkTopics(scenario)).stdout).toContain(asked);
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
    // Into the second partition only.
    await beat('d', 'f');
    expect(await closedKeys(2)).toEqual(['d', 'f']);
    await scenario.stop(first);
    expect((await checkTopics(scenario)).code).toBe(0);
    scenario.rename();
    scenario.configure({});
    const told = `${scenario.output}: holds records, and ${scenario.topics[2]!} has never held any`;
    expect((await createTopics(scenario)).stderr).toContain(`warning: ${told}`);
    const checked = await checkTopics(scenario);
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toContain(told);
    const second = scenario.start();
    await second.line(/warning: .*: holds records, and .* has never held any/);
    await runAll(second);
    await scenario.stop(second);
    expect((await checkTopics(scenario)).code).toBe(0);
    const third = scenario.start();
    await runAll(third);
    await scenario.stop(third);
    expect((await third.finished).stderr).not.toContain('holds records');
    // Deleted records name no owner.
    await truncate(scenario.kafka, scenario.output, 2);
    scenario.rename();
    scenario.configure({});
    expect((await createTopics(scenario)).stderr).not.toContain('holds records');
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
    // Read back, they prove that everything before them is applied, in both partitions.
    await beatAndEnd(MARKS);
    await scenario.outputs(({ tombstones }) => tombstones.length === MARKS.length);
    expect(await scenario.stop(running)).toBe(0);
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
    const checked = await checkTopics(scenario);
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toMatch(/holds 6 live keys, clock \d{4}-.*, begun with 2 partitions/);
    expect(checked.stdout).toContain('use another application name');
    expect(commandsIn(checked)).toEqual([]);
    expect((await ended('topics', 'create', '--config', scenario.config)).code).toBe(USAGE);
    expect((await ended('topics', 'alter', '--apply', '--config', scenario.config)).stdout).toContain(
      'Nothing that alter can mend',
    );
    const used = await offsetsUsed(scenario.kafka, scenario.topics[2]!, 2);
    // Another application on the same input: all sessions are back.
    scenario.rename();
    scenario.configure({ timeoutMs: 1_000 });
    // The output has as many partitions as the input had, and gets more, as advised.
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
      if (what !== 'deleted')
        await createTopic(scenario.kafka, changelog, {
          partitions: 2,
          settings: { 'message.timestamp.type': 'LogAppendTime' },
        });
      const checked = await checkTopics(scenario);
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

  test('[R2][R3] a changelog that was lost: given up as the start advises, with its local stores there, everyone is there again', async () => {
    await sixLive(5_000);
    await deleteTopic(scenario.kafka, scenario.topics[2]!);
    const refused = await scenario.start().finished;
    expect(refused.stderr).toContain('give it up under this name: flatline reset, with every processor stopped');
    const { config, application } = scenario;
    for (const looks of [['sessions', 'list'], ['verify']])
      expect((await ended(...looks, '--config', config)).stderr).toMatch(
        /changelog.* does not exist: .*if it was lost, restore it, or give its state up \(flatline reset/,
      );
    const told = await succeed(['reset', '--config', config]);
    const [, args = ''] = /To do it, add (--confirm \S+)\.$/m.exec(told.stdout)!;
    expect(args).toBe(`--confirm ${application}`);
    await succeed(['reset', '--config', config, ...args.split(' ')]);
    await createTopics(scenario);
    const running = scenario.start();
    await runAll(running);
    // From the beginning of the input: the ended sessions end again.
    const keys = await closedKeys(2 * MARKS.length + KEYS.length);
    expect(keys.filter((key) => !MARKS.includes(key))).toEqual(KEYS);
    expect(await scenario.stop(running)).toBe(0);
  });

  test('[R3] an input that was made again under its state is found by the check; as advised, another application begins', async () => {
    await sixLive();
    await deleteTopic(scenario.kafka, scenario.input);
    await createTopic(scenario.kafka, scenario.input, {
      partitions: 2,
      settings: { 'message.timestamp.type': 'LogAppendTime' },
    });
    const checked = await checkTopics(scenario);
    expect(checked.code).toBe(FAILED_CHECK);
    expect(checked.stdout).toMatch(/is not the log that was read \(partition \d: .* but it ends at 0\)/);
    expect(checked.stdout).toContain('holds 6 live keys');
    expect(checked.stdout).toContain('or use another application name and another output.topic');
    scenario.rename();
    scenario.configure({ timeoutMs: 1_000, output: { topic: `${scenario.output}-2` } });
    await createTopics(scenario);
    const running = scenario.start();
    await runAll(running);
    await beat('g', 'h');
    const { config } = scenario;
    const tail = ['sessions', 'tail', '--config', config, '--from-beginning', '--limit', '2', '--json'];
    const lines = (await succeed(tail)).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly sessionId: string }).sessionId).toSorted()).toEqual([
      'g',
      'h',
    ]);
    expect(await scenario.stop(running)).toBe(0);
  });

  test('[C6] a timestamp type changed in the configuration: it is changed back, and everyone lives on', async () => {
    await sixLive();
    scenario.configure({ input: { topic: scenario.input, timestampType: 'CreateTime' } });
    const refused = await ended('run', '--config', scenario.config, '--state-dir', scenario.stateDir('a'));
    expect(refused.code).toBe(USAGE);
    // Clock records of the processor may lie behind its last commit: then it is those that come next.
    expect(refused.stderr).toMatch(/set input\.timestampType to "LogAppendTime", as (it was|the next records are)/);
    expect(commandsIn(refused)).toEqual([]);
    scenario.configure({});
    expect(await liveAgain()).toBe(6);
  });

  test('[C6] altered to CreateTime and back while records came: what each message says leads through, and everyone lives on', async () => {
    await sixLive(600_000);
    await alterTopics(scenario.kafka, { [scenario.input]: { 'message.timestamp.type': 'CreateTime' } });
    await beat('a', 'b', 'c', 'd');
    await alterTopics(scenario.kafka, { [scenario.input]: { 'message.timestamp.type': 'LogAppendTime' } });
    await beat(...KEYS);
    const first = scenario.start();
    await first.line(/set input\.timestampType to \\"CreateTime\\" and restart/);
    await scenario.stop(first);
    scenario.configure({ input: { topic: scenario.input, timestampType: 'CreateTime' } });
    const checked = await checkTopics(scenario);
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
    expect((await checkTopics(scenario)).code).toBe(0);
    expect(await liveAgain()).toBe(6);
  });

  test('[K7] every setting that may be wrong on the topics of a state: altered as advised, everyone lives on', async () => {
    await sixLive();
    const [input, output, changelog, deadLetters] = scenario.topics as [string, string, string, string];
    await alterTopics(scenario.kafka, {
      [input]: { 'message.timestamp.type': 'CreateTime', 'cleanup.policy': 'compact' },
      [output]: { 'cleanup.policy': 'compact', 'max.message.bytes': '500000' },
      [changelog]: {
        'retention.ms': '604800000',
        'retention.bytes': '1073741824',
        'segment.bytes': '1073741824',
        'message.timestamp.type': 'CreateTime',
        'max.message.bytes': '500000',
      },
      [deadLetters]: { 'max.message.bytes': '1000000' },
    });
    const checked = await checkTopics(scenario);
    expect(checked.code).toBe(FAILED_CHECK);
    // Its own group does not count as another reader.
    expect(checked.stdout).not.toContain('committed offsets of it');
    await obey(checked);
    expect((await checkTopics(scenario)).code).toBe(0);
    expect(await liveAgain()).toBe(6);
  });

  test('[O5] an output with too few partitions gets more, and keeps what it holds', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000, partitions: 2 });
    await createTopic(scenario.kafka, scenario.output, { partitions: 1, settings: {} });
    await createTopic(scenario.kafka, scenario.input, {
      partitions: 2,
      settings: { 'message.timestamp.type': 'LogAppendTime' },
    });
    const refused = await ended('topics', 'create', '--config', scenario.config);
    expect(refused.stderr).toContain(`${scenario.output}: has 1 partition,`);
    await obey(refused);
    await createTopics(scenario);
    expect((await checkTopics(scenario)).code).toBe(0);
  });
});
