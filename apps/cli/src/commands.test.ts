// The commands on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { afterAll, describe, expect, test } from '@jest/globals';
import { KafkaLogReader, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import type { RecordCursor } from '@flatline/ports';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';
import type { LedgerEntry } from '@flatline/fleet';

const brokers = process.env['KAFKA_BROKERS'] ?? '';
const kafka = { brokers: brokers.split(','), clientId: 'flatline-cli-test', clock };
const connection = openCluster(kafka);
const folder = mkdtempSync(join(tmpdir(), 'flatline-cli-'));
afterAll(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

const run = (line: string): Promise<CliRun> => cli(line.split(' '), { env: { KAFKA_BROKERS: brokers }, folder });

describe('what is wrong with a configuration, and shows only when it is used', () => {
  const application = `w${randomUUID().slice(0, 8)}`;
  const config = join(folder, 'wrong.json');
  const pipeline = {
    name: 'visits',
    kind: 'session',
    timeoutMs: 1000,
    input: { topic: `${application}.in` },
    output: { topic: `${application}.out` },
  };
  writeFileSync(config, JSON.stringify({ application, brokers: brokers.split(','), pipelines: [pipeline] }));

  test('[I4] exit code 2, so that no supervisor starts it over and over, and the message names the setting', async () => {
    const replicas = await run(`topics create --config ${config} --replication 30`);
    expect(replicas).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining('replication factor') });
    expect((await run(`topics create --config ${config} --partitions 1`)).exitCode).toBe(ExitCode.ok);
    const avro = await run(`simulate --topic ${application}.in --sessions 1 --rate 1 --format avro`);
    expect(avro).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining('schema registry') });
    const stateDir = await run(`run --config ${config} --http-port 0 --state-dir ${config}`);
    expect(stateDir).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining('stateDir') });
  });
});

async function makeTopic(settings: Record<string, string>, partitions = 2): Promise<string> {
  const topic = `cli-${randomUUID()}`;
  await new KafkaTopicAdmin({ clock, connection }).createTopics([
    { topic, partitions, replicationFactor: 1, settings },
  ]);
  return topic;
}

interface Seen {
  readonly partition: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestamp: number;
  readonly headers: readonly string[];
}

const text = (cursor: RecordCursor, start: number, length: number): string | null =>
  length < 0 ? null : Buffer.from(cursor.bytes.subarray(start, start + length)).toString('utf8');

/** The first `count` records of the topic, each partition in order. */
async function readTopic(topic: string, partitions: number, count: number): Promise<Seen[]> {
  const reader = new KafkaLogReader(kafka);
  const subscriptions = Array.from({ length: partitions }, (_, partition) => reader.subscribe({ topic, partition }, 0));
  const seen: Seen[] = [];
  while (seen.length < count) {
    for (const subscription of subscriptions)
      for (let taken = subscription.take(); taken !== undefined; taken = subscription.take())
        for (const { cursor } = taken; cursor.next();)
          seen.push({
            partition: subscription.partition.partition,
            key: text(cursor, cursor.keyStart, cursor.keyLength),
            value: text(cursor, cursor.valueStart, cursor.valueLength),
            timestamp: cursor.timestamp,
            headers: cursor.headers().map(({ name }) => name),
          });
    await new Promise((resolve) => {
      for (const subscription of subscriptions)
        subscription.onChange(() => {
          resolve(undefined);
        });
      if (seen.length >= count) resolve(undefined);
    });
  }
  await reader.close();
  return seen;
}

describe('topics', () => {
  const application = `a${randomUUID().slice(0, 8)}`;
  const config = join(folder, 'topics.json');
  const pipeline = {
    name: 'visits',
    kind: 'session',
    timeoutMs: 1000,
    input: { topic: `${application}.in`, timestampType: 'CreateTime' },
    output: { topic: `${application}.out` },
  };
  writeFileSync(config, JSON.stringify({ application, brokers: brokers.split(','), pipelines: [pipeline] }));

  test('[K7] created once, they pass the check, and creating again changes nothing', async () => {
    const missing = await run(`topics check --config ${config} --json`);
    expect(missing.exitCode).toBe(ExitCode.failedCheck);
    expect(missing.json()).toMatchObject([{ ok: false, deviations: { length: 4 } }]);
    const names = [`${application}.in`, `${application}.out`, `${application}.visits.changelog`].concat(
      `${application}.visits.dead-letters`,
    );
    const created = await run(`topics create --config ${config} --partitions 3 --json`);
    expect(created).toMatchObject({ exitCode: ExitCode.ok, stderr: '' });
    expect(created.json()).toEqual([{ created: names, existed: [] }]);
    expect((await run(`topics create --config ${config} --json`)).json()).toEqual([{ created: [], existed: names }]);
    expect((await run(`topics check --config ${config}`)).exitCode).toBe(ExitCode.ok);
  });

  test('[O5] with a topic of another partition count nothing is created, and the run refuses', async () => {
    const other = { ...pipeline, output: { topic: await makeTopic({ 'cleanup.policy': 'delete' }, 5) } };
    const file = join(folder, 'other.json');
    const content = { application: `${application}b`, brokers: brokers.split(','), pipelines: [other] };
    writeFileSync(file, JSON.stringify(content));
    const created = await run(`topics create --config ${file}`);
    expect(created.exitCode).toBe(ExitCode.usage);
    expect(created.stderr).toContain('has 5 partitions, its input');
    const refused = await run(`run --config ${file}`);
    expect(refused.exitCode).toBe(ExitCode.usage);
    for (const problem of ['has 5 partitions', `${application}b.visits.changelog: does not exist`])
      expect(refused.stderr).toContain(problem);
  });
});

describe('import', () => {
  const log = join(folder, 'access.log');
  const line = (address: string, second: string): string =>
    `${address} - - [17/May/2015:10:05:${second} +0000] "GET / HTTP/1.1" 200 5 "-" "x"`;
  writeFileSync(log, [line('10.0.0.1', '03'), line('10.0.0.2', '59'), line('10.0.0.1', '10'), ''].join('\n'));
  const latest = Date.UTC(2015, 4, 17, 10, 5, 59);

  test('[C2] every line is a record with its own time, and every partition ends with a clock record', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' });
    const done = await run(`import ${log} --topic ${topic} --format apache --json`);
    expect(done.exitCode).toBe(ExitCode.ok);
    expect(done.json()).toMatchObject([{ records: 3, skipped: 0, latest, clockAt: latest, partitions: 2 }]);
    const seen = await readTopic(topic, 2, 5);
    expect(seen.filter(({ key }) => key === '10.0.0.1').map(({ timestamp }) => timestamp)).toEqual([
      Date.UTC(2015, 4, 17, 10, 5, 3),
      Date.UTC(2015, 4, 17, 10, 5, 10),
    ]);
    for (const partition of [0, 1]) {
      const last = seen.filter((record) => record.partition === partition).at(-1);
      expect(last).toEqual({ partition, key: null, value: '', timestamp: latest, headers: ['flatline-clock'] });
    }
  });

  test('[C2] with --close the clock records are stamped now', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' });
    const before = Date.now();
    await run(`import ${log} --topic ${topic} --format apache --close`);
    const clocks = (await readTopic(topic, 2, 5)).filter(({ key }) => key === null);
    expect(clocks.length).toBe(2);
    for (const { timestamp } of clocks) expect(timestamp).toBeGreaterThanOrEqual(before);
  });

  test('what a topic holds already is not imported again unless that is asked for', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' });
    const importing = `import ${log} --topic ${topic} --format apache`;
    const twin = join(folder, 'twin.log');
    // At the same instant, in the same partition and before it, perhaps; of another client.
    writeFileSync(twin, `${line('10.0.0.3', '03')}\n`);
    expect((await run(`import ${twin} --topic ${topic} --format apache`)).exitCode).toBe(ExitCode.ok);
    expect((await run(importing)).exitCode).toBe(ExitCode.ok);
    const again = await run(importing);
    expect(again).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
    expect(again.stderr).toMatch(
      /holds the first 3 records of \S+access\.log already .* from \S+\/\d+\/\d+ on, .*nothing was imported.* --again/s,
    );
    expect((await run(`${importing} --again`)).exitCode).toBe(ExitCode.ok);
    const other = join(folder, 'next.log');
    writeFileSync(other, `${line('10.0.0.1', '11')}\n`);
    expect((await run(`import ${other} --topic ${topic} --format apache`)).exitCode).toBe(ExitCode.ok);
  });

  test('standard input is imported as a file is; what has no line of the format is told for it', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' });
    const importing = (text: string | Uint8Array): Promise<CliRun> => {
      const args = ['import', '-', '--topic', topic, '--format', 'jsonl', '--key', 'id', '--time', 'at', '--json'];
      return cli(args, { env: { KAFKA_BROKERS: brokers }, folder, stdin: Readable.from([Buffer.from(text)]) });
    };
    const line = '{"id":"a","at":1700000000000}\n';
    expect((await importing(line)).json()).toMatchObject([{ records: 1 }]);
    expect((await importing(gzipSync(line.replace('"a"', '"b"')))).json()).toMatchObject([{ records: 1 }]);
    for (const [bytes, hint] of [
      ['a,b\nc,d\n', 'no line of - has this format (--format jsonl)'],
      [gzipSync(line).subarray(0, -9), 'damaged or cut off'],
    ] as const)
      expect(await importing(bytes)).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining(hint) });
  });

  test('a bad line leaves nothing half-done; skipped, the others are imported', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '-1' });
    const file = join(folder, 'some-bad.jsonl');
    writeFileSync(file, '{"id":"a","at":1}\n{"id":\n{"id":"b","at":2,"page":"/x"}\n');
    const stopped = await run(`import ${file} --topic ${topic} --format jsonl --key id --time at`);
    expect(stopped.exitCode).toBe(ExitCode.usage);
    expect(stopped.stderr).toContain(`${file}:2: is not a JSON object`);
    expect(stopped.stderr).toContain('nothing was imported');
    const skipped = await run(
      `import ${file} --topic ${topic} --format jsonl --key id --time at --on-bad-line skip --json`,
    );
    expect(skipped.json()).toMatchObject([{ records: 2, skipped: 1 }]);
    const seen = (await readTopic(topic, 2, 4)).filter(({ key }) => key !== null);
    expect(new Map(seen.map(({ key, value }) => [key, value]))).toEqual(
      new Map([
        ['a', '{}'],
        ['b', '{"attributes":{"page":"/x"}}'],
      ]),
    );
  });

  test('a line that makes too large a record is named before anything is produced, and the remedy mends it', async () => {
    const topic = await makeTopic({
      'message.timestamp.type': 'CreateTime',
      'retention.ms': '-1',
      'max.message.bytes': '1000',
    });
    const file = join(folder, 'large.jsonl');
    const line = (page: string): string => JSON.stringify({ id: 'a', at: Date.now(), page });
    const small = Array.from({ length: 60 }, () => line('/x'.repeat(20)));
    writeFileSync(file, [...small, line('/y'.repeat(600)), ''].join('\n'));
    const importing = `import ${file} --topic ${topic} --format jsonl --key id --time at`;
    const refused = await run(importing);
    expect(refused.exitCode).toBe(ExitCode.usage);
    expect(refused.stderr).toMatch(/max\.message\.bytes is 1000, and line 61 makes a record of 1\d\d\d bytes/);
    const command = /remedy: flatline (.+)/.exec(refused.stderr)![1]!;
    expect((await run(command)).exitCode).toBe(ExitCode.ok);
    expect((await run(importing)).exitCode).toBe(ExitCode.ok);
    expect((await readTopic(topic, 2, 63)).filter(({ key }) => key !== null)).toHaveLength(61);
  });

  test('a topic that stamps records itself is refused', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'LogAppendTime' });
    const refused = await run(`import ${log} --topic ${topic} --format apache`);
    expect(refused.exitCode).toBe(ExitCode.usage);
    expect(refused.stderr).toContain('LogAppendTime');
  });

  test('[C2] a retention that would delete what is imported is refused, with the command that mends it', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'retention.ms': '604800000' });
    const refused = await run(`import ${log} --topic ${topic} --format apache`);
    expect(refused).toMatchObject({
      exitCode: ExitCode.usage,
      stderr: expect.stringContaining('retention.ms is 604800000'),
    });
    const command = /remedy: flatline (.+)/.exec(refused.stderr)![1]!;
    // Without --apply it only shows.
    expect((await run(command.replace(' --apply', ''))).stdout).toContain('retention.ms 604800000 -> -1');
    expect((await run(`import ${log} --topic ${topic} --format apache`)).exitCode).toBe(ExitCode.usage);
    expect((await run(command)).exitCode).toBe(ExitCode.ok);
    expect((await run(`import ${log} --topic ${topic} --format apache`)).exitCode).toBe(ExitCode.ok);
  });

  test('a compacted topic is refused: of each key only the last record would stay', async () => {
    const topic = await makeTopic({ 'message.timestamp.type': 'CreateTime', 'cleanup.policy': 'compact' });
    const refused = await run(`import ${log} --topic ${topic} --format apache`);
    expect(refused).toMatchObject({
      exitCode: ExitCode.usage,
      stderr: expect.stringContaining('cleanup.policy=compact'),
    });
  });

  test('topics alter refuses what would lose records, and half a command', async () => {
    const topic = await makeTopic({ 'retention.ms': '604800000' });
    const less = await run(`topics alter --topic ${topic} --set retention.ms=1000 --apply`);
    expect(less).toMatchObject({
      exitCode: ExitCode.usage,
      stderr: expect.stringContaining('less would lose records'),
    });
    expect((await run(`topics alter --topic ${topic} --apply`)).exitCode).toBe(ExitCode.usage);
    expect((await run(`topics alter --topic ${topic} --set retention --apply`)).exitCode).toBe(ExitCode.usage);
    const same = await run(`topics alter --topic ${topic} --set retention.ms=604800000 --apply --json`);
    expect(same.json()).toEqual([{ applied: true, changes: [], left: [] }]);
  });
});

describe('simulate', () => {
  test.each(['bare', 'json'])('%s: what the ledger says is in the topic', async (format) => {
    const topic = await makeTopic({ 'message.timestamp.type': 'LogAppendTime' });
    const file = join(folder, `${format}.jsonl`);
    const flags =
      '--sessions 40 --rate 800 --heartbeat-ms 20 --beats 4 --duplicates 0.2 --lose 0.1 --reorder 0.1 --seed 9';
    const done = await run(`simulate --topic ${topic} ${flags} --format ${format} --ledger ${file} --json`);
    expect(done.exitCode).toBe(ExitCode.ok);
    const ledger = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LedgerEntry);
    expect(new Set(ledger.map(({ sessionId }) => sessionId)).size).toBe(40);
    const ends = ({ ended }: LedgerEntry): number => (ended === 'silence' ? 0 : 1);
    const records = (entry: LedgerEntry): number => entry.acknowledged + entry.duplicates + ends(entry);
    const total = ledger.reduce((sum, entry) => sum + records(entry), 0);
    const seen = await readTopic(topic, 2, total);
    expect(seen.length).toBe(total);
    for (const entry of ledger) expect(seen.filter(({ key }) => key === entry.sessionId).length).toBe(records(entry));
    expect(done.json()).toMatchObject([{ sessions: 40, seed: 9, topic }]);
  });

  test('stopped, it ends with what was acknowledged and exit code 130', async () => {
    const topic = await makeTopic({});
    const file = join(folder, 'stopped.jsonl');
    const args = `simulate --topic ${topic} --sessions 100000 --rate 200 --ledger ${file}`.split(' ');
    const stop = new AbortController();
    const running = cli(args, { env: { KAFKA_BROKERS: brokers }, stop: stop.signal });
    await readTopic(topic, 2, 20);
    stop.abort();
    const done = await running;
    expect(done.exitCode).toBe(ExitCode.interrupted);
    expect(done.stdout).toMatch(/^interrupted; sent until then: \d+ of 100,000 sessions, \d+ heartbeats/);
    const ledger = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LedgerEntry);
    expect(ledger.some(({ ended }) => ended === 'cutOff')).toBe(true);
  });
});

test('sessions tail --no-follow of a topic without records prints nothing', async () => {
  const topic = await makeTopic({});
  expect(await run(`sessions tail --topic ${topic} --no-follow`)).toMatchObject({ exitCode: ExitCode.ok, stdout: '' });
});
