import { systemClock } from '@flatline/system';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { afterEach, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Kcat, describeWithKcat } from './kcat.fixture.ts';
import { readRaw } from './raw-topic.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { verify } from './verify.fixture.ts';

let scenario: Scenario;

interface Line {
  readonly kind: string;
  readonly partition: number;
  readonly offset: number;
  readonly reason: string;
  readonly replays: number;
}

async function letters(...args: readonly string[]): Promise<(Line & Record<string, unknown>)[]> {
  const { stdout } = await succeed(['dead-letters', ...args, '--config', scenario.config, '--json']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line & Record<string, unknown>);
}

/** Resolves when the dead-letter topic has that many records, letters and notes of replays. */
async function untilRecords(count: number): Promise<void> {
  await readRaw(scenario.kafka, { topic: scenario.topics[3]!, partitions: scenario.partitions, count });
}

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const LONG = 'k'.repeat(30);

describeWithKcat('dead letters', () => {
  afterEach(async () => {
    await killAll();
    await scenario.dispose();
  });

  test('[I1] are listed, shown with all their bytes, and replayed once each to where they came from', async () => {
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 2 });
    scenario.configure({ maxKeyBytes: 20 });
    const strict = scenario.start();
    await scenario.producing(async (producer) => {
      const headers = [{ name: 'trace', value: bytes(0, 255) }];
      await producer.send([
        { key: Buffer.from(LONG), value: Buffer.from('{"type":"CLICK"}'), headers, partition: 1 },
        { key: bytes(0xff, 0), value: bytes(1, 2, 254), headers, partition: 0 },
        { key: null, value: Buffer.from('{}'), partition: 0 },
      ]);
    });
    await untilRecords(3);

    const listed = await letters('list');
    expect(listed.at(-1)).toMatchObject({
      kind: 'summary',
      total: 3,
      reasons: { 'key-too-long': 1, 'null-key': 1, 'unknown-format': 1 },
    });
    const find = (reason: string): string => {
      const found = listed.find((line) => line.reason === reason)!;
      return `${found.partition}/${found.offset}`;
    };
    const [shown] = await letters('show', find('unknown-format'));
    expect(shown).toMatchObject({
      reason: 'unknown-format',
      origin: { topic: scenario.input, partition: 0, offset: 0 },
      key: { base64: Buffer.from([0xff, 0]).toString('base64') },
      value: { length: 3, base64: Buffer.from([1, 2, 254]).toString('base64') },
      headers: [{ name: 'trace', value: { base64: Buffer.from([0, 255]).toString('base64') } }],
      replays: 0,
    });
    const { stdout } = await succeed(['dead-letters', 'show', find('unknown-format'), '--config', scenario.config]);
    expect(stdout).toContain('000000  01 02 fe');
    expect(await scenario.stop(strict)).toBe(0);

    // With longer keys allowed, the one that was too long is good, and the others are refused again.
    scenario.configure({ maxKeyBytes: 40 });
    const before = await letters('replay', '--all', '--dry-run');
    expect(before.at(-1)).toMatchObject({ wouldReplay: 3, replayedBefore: 0 });
    const once = await letters('replay', '--reason', 'key-too-long');
    expect(once).toMatchObject([
      { kind: 'replayed', place: find('key-too-long'), to: { topic: scenario.input, partition: 1 }, replay: 1 },
      { kind: 'summary', replayed: 1 },
      { kind: 'aftermath', state: 'notRunning' },
    ]);
    const again = flatline(['dead-letters', 'replay', find('key-too-long'), '--config', scenario.config]);
    expect(await again.finished).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('replayed before: left out'),
    });
    const rest = await letters('replay', '--all');
    expect(rest.at(-2)).toMatchObject({ replayed: 2, replayedBefore: 1 });
    expect(await letters('replay', '--all', '--again', '--dry-run')).toHaveLength(4);

    const lenient = scenario.start();
    // Three letters, three notes of replays, and two letters again.
    await untilRecords(8);
    expect((await letters('list', '--reason', 'key-too-long'))[0]).toMatchObject({ replays: 1 });
    expect(await scenario.stop(lenient)).toBe(0);
    const input = await readRaw(scenario.kafka, { topic: scenario.input, partitions: 2, count: 6 });
    const origin = `${scenario.topics[3]!}/${find('key-too-long')}`;
    expect(input.filter(({ key }) => key === LONG)).toMatchObject([
      { partition: 1, headers: { trace: '\u0000\u00ff' } },
      {
        partition: 1,
        value: '{"type":"CLICK"}',
        headers: { trace: '\u0000\u00ff', 'flatline-replayed-from': origin, 'flatline-replay': '1' },
      },
    ]);
    // The long key was accepted this time: there is no second dead letter of it.
    const counted = (await letters('list')).at(-1);
    expect(counted).toMatchObject({ total: 5, reasons: { 'key-too-long': 1, 'null-key': 2, 'unknown-format': 2 } });
  });

  test('[I1] a replay says what is refused again, with exit code 1, and what is not read yet', async () => {
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 1 });
    scenario.configure({ maxKeyBytes: 20 });
    const strict = scenario.start();
    await scenario.producing(async (producer) => {
      await producer.send([
        { key: Buffer.from(LONG), value: Buffer.from('{}') },
        { key: null, value: Buffer.from('{}') },
      ]);
    });
    await untilRecords(2);
    const replay = ['dead-letters', 'replay', '--config', scenario.config];
    const unmended = await flatline([...replay, '--reason', 'key-too-long']).finished;
    expect(unmended).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('refused 1 record again (1 key-too-long)'),
    });
    expect(await scenario.stop(strict)).toBe(0);
    const unread = await flatline([...replay, '0/0', '--again']).finished;
    expect(unread).toMatchObject({ code: 0, stdout: expect.stringContaining('No processor runs') });
    scenario.configure({ maxKeyBytes: 40 });
    const lenient = scenario.start();
    await scenario.producing((producer) => Promise.resolve(producer.send([{ key: null, value: Buffer.from('{}') }])));
    // Its letter proves that the processor has joined; before it are three others and two notes.
    await untilRecords(6);
    const mended = await flatline([...replay, '0/0', '--again']).finished;
    expect(mended).toMatchObject({ code: 0, stdout: expect.stringContaining('refused none again') });
    expect(await scenario.stop(lenient)).toBe(0);
  });

  test('a place where there is none: exit code 2, and nothing is replayed', async () => {
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 1 });
    const finished = await flatline(['dead-letters', 'replay', '0/99', '--config', scenario.config]).finished;
    expect(finished).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no dead letter at 0/99') });
  });

  test('[I1][X6] a record longer than its letter may be is truncated, a batch that cannot be unpacked is named; neither is replayed', async () => {
    scenario = await Scenario.create({ timeoutMs: 2_000, partitions: 1 });
    const kcat = new Kcat(scenario.kafka.brokers);
    const processor = scenario.start();
    // Packed by a producer whose limit is the packed size: each of them is a few kilobytes in the log.
    const connection = openCluster(scenario.kafka);
    const options = { clock: systemClock, connection, topic: scenario.input };
    const producer = await BatchProducer.open({ ...options, compression: 'zstd', batchBytesMax: 100_000_000 });
    for (const length of [3_000_000, 70_000_000]) {
      await producer.send([{ key: Buffer.from('long'), value: Buffer.alloc(length, 'x') }]);
      await producer.flush();
    }
    await producer.send([{ key: Buffer.from('k'), value: Buffer.alloc(0) }]);
    await producer.close();
    connection.close();
    await untilRecords(2);
    const output = await kcat.first(scenario.output, 2, 'read_committed');
    expect(output.map(({ key }) => key)).toEqual(['k', 'k']);
    expect(await scenario.stop(processor)).toBe(0);

    const [long, bomb, summary] = await letters('list');
    expect(summary).toMatchObject({ total: 2, reasons: { 'unknown-format': 1, 'batch-too-large': 1 } });
    expect(long).toMatchObject({
      reason: 'unknown-format',
      origin: { offset: 0, truncated: { valueBytes: 3_000_000 } },
    });
    expect((long!['value'] as { length: number }).length).toBeGreaterThan(1_000_000);
    expect(bomb).toMatchObject({ key: null, value: null, origin: { offset: 1, batch: { lastOffset: 1, records: 1 } } });
    const shown = await flatline(['dead-letters', 'show', '0/1', '--config', scenario.config]).finished;
    expect(shown.stdout).toContain(`1 record, ${scenario.input}/0/1 to 1, in a batch that cannot be unpacked`);

    const one = await flatline(['dead-letters', 'replay', '0/0', '--config', scenario.config]).finished;
    expect(one).toMatchObject({ code: 2, stdout: '' });
    expect(one.stderr).toMatch(
      /0\/0 of \S+ cannot be replayed: too long .* its value of 3.000.000 bytes\. Nothing was replayed/,
    );
    const all = await flatline(['dead-letters', 'replay', '--all', '--config', scenario.config, '--json']).finished;
    expect(JSON.parse(all.stdout)).toMatchObject({ kind: 'summary', replayed: 0, incomplete: 2 });
    expect((await verify(scenario)).violations).toEqual([]);
  });
});
