// `flatline try` of the package, in a folder that has nothing else: with this machine's software, and with none.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Done, Installation } from './installation.fixture.ts';
import { Program } from './program.fixture.ts';

const COMMAND = 'node_modules/flatline/bin/flatline.mjs';
/** As `flatline try` writes them. */
const CONFIG = '.flatline/try/flatline.config.json';
const VISITOR = '.flatline/try/visitor.mjs';

interface Started {
  readonly kind: 'started';
  readonly pids: readonly number[];
  readonly next: readonly { readonly command: string }[];
}

interface Listener {
  readonly name: string;
  readonly address: string;
  readonly kafka: object;
}

interface Verdict {
  readonly closedOnce: number;
  readonly split: number;
}

let place: Installation;
beforeAll(async () => {
  place = await Installation.of(['flatline', 'flatline-client']);
});
afterAll(() => {
  (place as Installation | undefined)?.remove();
});

/** With a user's cache that is empty at first; no broker is named. */
const environment = (): Record<string, string> => ({
  XDG_CACHE_HOME: join(place.folder, 'cache'),
  KAFKA_BROKERS: '',
  SCHEMA_REGISTRY_URL: '',
});

const starting = (...flags: readonly string[]): Program =>
  Program.start(process.execPath, [COMMAND, 'try', ...flags], place.folder, environment());

const run = (args: readonly string[]): Promise<Done> => place.run(process.execPath, args, environment());

/** Processes started with a path below this folder: the broker has its jars there. */
function processesHere(): string[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      const line = readFileSync(path, 'utf8');
      return line.includes(place.folder) ? [line.replaceAll('\0', ' ')] : [];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

describe('flatline try', () => {
  test('fetches Kafka into the cache of the user, closes each session once, and leaves nothing else', async () => {
    const trying = starting('--sessions', '20', '--exit-when-done', '--json');
    await trying.line(/fetching Apache Kafka .* once, into .*cache/);
    const verdict = JSON.parse(await trying.line(/^\{"kind":"verdict".*$/m)) as Verdict;
    expect(verdict).toMatchObject({ ok: true, sessions: 20, open: 0, violations: 0 });
    expect(verdict.closedOnce + verdict.split).toBe(20);
    expect(await trying.ended()).toBe(0);
    expect(existsSync(join(place.folder, '.flatline'))).toBe(false);
    expect(globSync('cache/flatline/artifacts/broker-*', { cwd: place.folder })).toHaveLength(1);
    expect(processesHere()).toEqual([]);
  });

  test('says what to type beside it, each of which works, and takes all with it on Ctrl-C', async () => {
    const trying = starting('--json');
    const started = JSON.parse(await trying.line(/^\{"kind":"started".*$/m)) as Started;
    const commands = started.next.map(({ command }) => command);
    expect(commands).toEqual([
      `flatline sessions tail --config ${CONFIG}`,
      expect.stringMatching(/try-events/),
      `node ${VISITOR} anna`,
    ]);
    const [closed, visited, sent] = await Promise.all([
      run([COMMAND, 'sessions', 'tail', '--config', CONFIG, '--from-beginning', '--key', 'zoe', '--limit', '1']),
      run([VISITOR, 'zoe']),
      run([
        COMMAND,
        'simulate',
        '--config',
        CONFIG,
        '--topic',
        'try-events',
        '--sessions',
        '1',
        '--rate',
        '1',
        '--beats',
        '1',
      ]),
    ]);
    expect([visited.code, sent.code]).toEqual([0, 0]);
    expect(closed).toMatchObject({ code: 0, stdout: expect.stringMatching(/zoe .*TIMEOUT .*page=\/cart/) });
    expect(started.pids.length).toBe(1);
    expect(await trying.end('SIGINT')).toBe(0);
    for (const pid of started.pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(processesHere()).toEqual([]);
    expect(existsSync(join(place.folder, '.flatline'))).toBe(false);
  });

  test('is gone at once, too, where it is stopped while the broker starts', async () => {
    const trying = starting();
    await trying.line(/Starting a Kafka broker/);
    expect(await trying.end('SIGINT')).toBe(130);
    expect(processesHere()).toEqual([]);
    expect(existsSync(join(place.folder, '.flatline'))).toBe(false);
  });

  test('without Java, Maven and Docker ends with 2, and says how to get them', async () => {
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const nothing = { ...environment(), PATH: bin, JAVA_HOME: '', XDG_CACHE_HOME: join(place.folder, 'none') };
    const done = await place.run(process.execPath, [COMMAND, 'try'], nothing);
    if (existsSync('/var/run/docker.sock')) {
      process.stderr.write('not run: try without Docker, of which an engine may be here\n');
      return;
    }
    expect(done).toMatchObject({ code: 2, stdout: '' });
    for (const said of ['Java 17 or newer', 'Maven 3.8 or newer', 'no engine answers', 'KAFKA_BROKERS=host:port'])
      expect(done.stderr).toContain(said);
    expect(existsSync(join(place.folder, '.flatline'))).toBe(false);
  });
});

describe('flatline broker', () => {
  test('starts one that stays, is found by commands of the same folder, and stops', async () => {
    const broker = [COMMAND, 'broker'];
    const data = ['--data', join(place.folder, 'data')];
    const port = '19392';
    expect(await run([...broker, 'start', '--port', port, ...data])).toMatchObject({
      code: 0,
      stdout: `127.0.0.1:${port}\n`,
    });
    expect(await run([...broker, 'status', ...data])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('answers'),
    });
    expect(await run([...broker, 'stop', ...data])).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
    // Its keeper ends as soon as it learns of that.
    for (let left = 100; left > 0 && processesHere().length > 0; left -= 1) await sleep(100);
    expect(processesHere()).toEqual([]);
  });

  test('starts a secured one, which gives tokens for its listener', async () => {
    const data = ['--data', join(place.folder, 'secured')];
    const started = await run([COMMAND, 'broker', 'start', '--secure', '--json', '--port', '19393', ...data]);
    expect(started).toMatchObject({ code: 0 });
    const { listeners } = JSON.parse(started.stdout) as { readonly listeners: readonly Listener[] };
    const { address, kafka } = listeners.find(({ name }) => name === 'sasl-oauthbearer')!;
    const visits = { name: 'visits', kind: 'session', timeoutMs: 2_000 };
    const pipeline = { ...visits, input: { topic: 'visit-events' }, output: { topic: 'visits' } };
    const config = { application: 'shop', brokers: [address], kafka, pipelines: [pipeline] };
    const file = join(place.folder, 'secured.config.json');
    writeFileSync(file, JSON.stringify(config));
    expect(await run([COMMAND, 'topics', 'create', '--config', file, '--replication', '1'])).toMatchObject({ code: 0 });
    expect(await run([COMMAND, 'broker', 'stop', ...data])).toMatchObject({ code: 0, stdout: 'Stopped.\n' });
    expect(processesHere()).toEqual([]);
  });
});
