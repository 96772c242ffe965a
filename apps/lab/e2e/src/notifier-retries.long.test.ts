// Outputs to webhooks on a real broker: tried again, given up, and by hand.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kill, killAll, launch, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { Notifying } from './notifying.fixture.ts';
import { readRaw } from './raw-topic.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { expectSound, verify } from './verify.fixture.ts';
import { ok, status } from './webhook-sink.fixture.ts';

const NOTIFIER = [
  '--conditions=@flatline/source',
  fileURLToPath(new URL('../../../notifier/src/main.ts', import.meta.url)),
];

const SESSIONS = { timeoutMs: 1_000 };

let notifying: Notifying;
afterEach(async () => {
  await killAll();
  await notifying.dispose();
});

describe('webhooks that fail', () => {
  test('[N2][N3] are tried again with the same id and body, through a kill, and once each succeeds no more', async () => {
    notifying = await Notifying.create([{}], SESSIONS);
    const { scenario, sink } = notifying;
    sink.answer = (response, received, count) => {
      (count === 1 ? status(503) : ok)(response, received, count);
    };
    const first = notifying.start('a');
    await notifying.beat('anna', 'bert', 'carl');
    await sink.until(3);
    // The outcomes of the first attempts are in the log by then, or those were under way.
    await sleep(1_000);
    await kill(first.child);
    const second = notifying.start('a');
    const timesOf = (id: string): number => sink.ids.filter((each) => each === id).length;
    while (sink.ids.some((id) => timesOf(id) < 2)) await sleep(100);
    await sleep(2_000);
    for (const id of new Set(sink.ids)) {
      const [one, ...others] = sink.received.filter((each) => each.id === id);
      expect(others.length).toBeLessThanOrEqual(2);
      for (const other of others) expect([other.body, other.isVerified]).toEqual([one!.body, true]);
    }
    expect(await scenario.stop(second)).toBe(0);
    expect((await expectSound(scenario, '--pipeline', notifying.name)).reach['deliveriesKept']).toBe(3);
    // Their keys are placed by the outputs' partitions.
    const { stdout, stderr } = await second.finished;
    expect(stdout + stderr).not.toContain('keys lie in other partitions');
  });

  test('[N2][N6] 410 disables an endpoint, which a command enables; what was given up is listed, shown and replayed, once', async () => {
    notifying = await Notifying.create([{}], SESSIONS);
    const { name, scenario, sink } = notifying;
    const run = (...args: readonly string[]) => flatline(['deliveries', ...args, '--config', scenario.config]).finished;
    sink.answer = status(410);
    const processor = notifying.start();
    await notifying.beat('anna');
    await processor.line(/an endpoint is disabled/);
    sink.answer = ok;
    const listed = await run('list', '--json');
    const [given] = listed.stdout
      .split('\n')
      .map((line) =>
        line === '' ? {} : (JSON.parse(line) as { kind?: string; id?: string; state?: string; why?: string }),
      );
    expect(given).toMatchObject({ kind: 'delivery', endpoint: 'sink0', state: 'undeliverable', why: 'gone' });
    const shown = await run('show', given!.id!);
    expect(shown.stdout).toContain(`webhook-id: ${given!.id!}`);
    expect(shown.stdout).toContain('410');
    expect(shown.stdout + listed.stdout).not.toContain(sink.secret.slice(6));
    const replay = ['replay', '--endpoint', 'sink0', '--pipeline', name];
    const refused = await run(...replay);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /endpoint sink0 is disabled in hooks-\w+, partition \d: flatline deliveries enable --endpoint sink0 first/,
      ),
    ]);
    expect((await run('enable', '--endpoint', 'sink0')).code).toBe(0);
    await processor.line(/an endpoint was enabled/);
    expect((await run(...replay)).stdout).toContain('1 sent again');
    while (sink.received.length < 2) await sleep(100);
    expect(sink.ids).toEqual([given!.id, given!.id]);
    expect(sink.received[1]!.isVerified).toBe(true);
    expect((await run('list')).stdout).toContain('0 given up; 1 that were given up were sent again since');
    expect((await run('show', given!.id!)).stdout).toContain('sent again since');
    expect((await run(...replay)).stdout).toContain('0 sent again; 1 were sent again before, and are left out');
    expect((await run(...replay, '--again')).stdout).toContain('1 sent again');
    while (sink.received.length < 3) await sleep(100);
    expect(await scenario.stop(processor)).toBe(0);
    const { reach } = await expectSound(scenario, '--pipeline', name);
    expect([reach['deliveriesKept'], reach['deliveriesGivenUp']]).toEqual([2, 1]);
  });

  test('[V10] what a topic of deliveries says, and no notifier would, is found by verify', async () => {
    notifying = await Notifying.create([{}], SESSIONS);
    const { name, scenario, sink } = notifying;
    sink.answer = (response, received, count) => {
      (count === 1 ? status(503) : ok)(response, received, count);
    };
    const processor = notifying.start();
    await notifying.beat('anna');
    while (sink.received.length < 2) await sleep(100);
    expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario, '--pipeline', name);
    const topic = `${name}.deliveries`;
    const kept = await readRaw(scenario.kafka, { topic, partitions: 2, count: 1 });
    const { key, headers } = kept.find((record) => 'delivery' in record.headers)!;
    const connection = openCluster(scenario.kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
    const said = Object.entries(headers).map(([name, value]) => ({ name, value: bytes(value) }));
    await producer.send([{ key: bytes(key!), value: bytes('{}'), headers: said }]);
    await producer.close();
    connection.close();
    const { violations } = await verify(scenario, '--pipeline', name);
    expect(violations.map(({ rule, topic: of }) => [rule, of])).toContainEqual(['V10', topic]);
  });

  test('[N3] a process of its own delivers what others put out, and resumes after a kill', async () => {
    notifying = await Notifying.create([{}], SESSIONS);
    const { scenario, sink } = notifying;
    const alone = join(scenario.folder, 'notifier.config.json');
    const { notifier, ...processor } = JSON.parse(readFileSync(scenario.config, 'utf8')) as Record<string, unknown>;
    writeFileSync(alone, JSON.stringify({ ...processor, notifier }));
    writeFileSync(scenario.config, JSON.stringify(processor));
    notifying.start('a');
    const startNotifier = (): Running => {
      const args = ['--config', alone, '--instance', 'n', '--state-dir', scenario.stateDir('n'), '--http-port', '0'];
      return launch(process.execPath, [...NOTIFIER, ...args], { env: { SECRET0: sink.secret } });
    };
    const first = startNotifier();
    await notifying.beat('anna');
    await sink.until(1);
    await kill(first.child);
    await notifying.beat('bert');
    const second = startNotifier();
    await sink.until(2);
    expect(sink.received.every(({ isVerified }) => isVerified)).toBe(true);
    expect(await scenario.stop(second)).toBe(0);
  });
});
