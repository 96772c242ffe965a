// An upgrade under load, instance by instance, and back again: the tarballs of two versions over one application's state.
import { afterEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Installation, version } from './installation.fixture.ts';
import { previousRelease } from './previous.fixture.ts';
import { Program } from './program.fixture.ts';

const LOOK_MS = 50;
const node = process.execPath;
const broker = process.env['KAFKA_BROKERS'] ?? '';
const application = `upgrade-${randomBytes(5).toString('hex')}`;
const KEYS = Array.from({ length: 8 }, (_, i) => `visitor-${i}`);
const PIPELINE = {
  name: 'visits',
  kind: 'session',
  timeoutMs: '1h',
  input: { topic: `${application}-in` },
  output: { topic: `${application}-out` },
};
const CONFIG = {
  application,
  brokers: [broker],
  http: { port: 0 },
  kafka: { sessionTimeoutMs: 3_000, heartbeatIntervalMs: 300 },
  // Readable by both versions, as long as a rollback is possible (K9).
  pipelines: [{ ...PIPELINE, changelogFormat: 2 }],
};
const SAY = `
  import { connect } from '@flatline/client';
  const [what, ...keys] = process.argv.slice(2);
  const flatline = connect({ brokers: ['${broker}'] });
  const heartbeats = await flatline.heartbeats({ topic: '${application}-in' });
  for (const key of keys) await heartbeats[what](key);
  await flatline.close();`;

interface Partition {
  readonly state: string;
  readonly lag: number | null;
  readonly liveEntries: number;
  readonly position?: number;
  readonly committedPosition?: number;
}

const installed: Installation[] = [];
const running = new Set<Processor>();
afterEach(async () => {
  await Promise.all([...running].map((each) => each.end('SIGKILL')));
  for (const each of installed) each.remove();
});

/** An instance of one of the versions, over the state that its predecessor of that name left. */
class Processor {
  readonly #program: Program;

  constructor(of: Installation, instance: string) {
    const args = ['run', '--json', '--config', 'upgrade.json', '--instance', instance];
    const state = ['--state-dir', join(installed[0]!.folder, `state-${instance}`)];
    this.#program = Program.start(node, ['node_modules/flatline/bin/flatline.mjs', ...args, ...state], of.folder);
    running.add(this);
  }

  /** Resolves once a task runs whose state came from there. */
  async runs(restoredFrom: string): Promise<void> {
    await this.#program.line(new RegExp(`task runs.*"restoredFrom":"${restoredFrom}"`));
  }

  async partitions(): Promise<readonly Partition[]> {
    const { address } = JSON.parse(await this.#program.line(/^.*answers over HTTP.*$/m)) as {
      readonly address: string;
    };
    const answer = await fetch(`${address}/api/v1/partitions`);
    return ((await answer.json()) as { readonly partitions: readonly Partition[] }).partitions;
  }

  end(signal: NodeJS.Signals): Promise<unknown> {
    running.delete(this);
    return this.#program.end(signal);
  }
}

/** Resolves once these run both partitions, with that many sessions, and all input is committed. */
async function settled(processors: readonly Processor[], live: number): Promise<void> {
  for (;;) {
    const partitions = (await Promise.all(processors.map((each) => each.partitions()))).flat();
    const isDone = ({ state, lag, position, committedPosition }: Partition): boolean =>
      state === 'running' && lag === 0 && position === committedPosition;
    const sessions = partitions.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
    if (partitions.length === 2 && partitions.every(isDone) && sessions === live) return;
    await delay(LOOK_MS);
  }
}

const previous = previousRelease();
if (previous === undefined) {
  const missing = 'an upgrade: the commit before it is not in this clone';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else
  test(`[K9][R1] instances of ${previous.version} and ${version} hand every session on: over one store, upgrading and back, and within one group`, async () => {
    const present = await Installation.of(['flatline', 'flatline-client']);
    const former = await Installation.of([previous.tarball]);
    installed.push(present, former);
    for (const each of installed) each.write('upgrade.json', JSON.stringify(CONFIG));
    present.write('say.mjs', SAY);
    const say = async (what: 'beat' | 'end'): Promise<void> => {
      expect(await present.run(node, ['say.mjs', what, ...KEYS])).toMatchObject({ code: 0 });
    };
    expect((await former.flatline(node, '--version')).stdout).toBe(`${previous.version}\n`);
    const create = ['topics', 'create', '--config', 'upgrade.json', '--partitions', '2', '--replication', '1'];
    expect(await former.flatline(node, ...create)).toMatchObject({ code: 0 });

    const before = new Processor(former, 'a');
    await say('beat');
    await settled([before], KEYS.length);
    expect(await before.end('SIGTERM')).toBe(0);

    const upgraded = new Processor(present, 'a');
    await upgraded.runs('localStore');
    await say('beat');
    await settled([upgraded], KEYS.length);
    expect(await upgraded.end('SIGTERM')).toBe(0);

    const back = new Processor(former, 'a');
    await back.runs('localStore');
    await say('beat');
    await settled([back], KEYS.length);

    const beside = new Processor(present, 'b');
    await beside.runs('changelog');
    await say('beat');
    await settled([back, beside], KEYS.length);
    await back.end('SIGKILL');
    await settled([beside], KEYS.length);
    expect(await beside.end('SIGTERM')).toBe(0);

    present.write('upgrade.json', JSON.stringify({ ...CONFIG, pipelines: [PIPELINE] }));
    const after = new Processor(present, 'b');
    await after.runs('localStore');
    await say('end');
    await settled([after], 0);
    const tail = ['sessions', 'tail', '--config', 'upgrade.json', '--no-follow', '--json'];
    const { stdout } = await present.flatline(node, ...tail);
    const closed = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
    expect(closed).toHaveLength(KEYS.length);
    for (const summary of closed) expect(summary).toMatchObject({ reason: 'ENDED', eventCount: 5 });
    expect(await present.flatline(node, 'verify', '--config', 'upgrade.json', '--complete')).toMatchObject({ code: 0 });
    expect(await after.end('SIGTERM')).toBe(0);
  });
