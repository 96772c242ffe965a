// An operator's commands for an application, beside its processor: doctor, status, reset.
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { ready } from './metrics.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
const run = (...args: readonly string[]): Promise<Done> => flatline([...args, '--config', scenario.config]).finished;

async function addressOf(processor: Running): Promise<string> {
  return /"address":"([^"]+)"/.exec(await processor.line(/answers over HTTP/))![1]!;
}

async function readyAddressOf(processor: Running): Promise<string> {
  const address = await addressOf(processor);
  await ready(address);
  return address;
}

/** Three sessions live on and one has ended, which proves that all four were applied. */
async function visit(): Promise<void> {
  await scenario.producing(async (producer) => {
    const keys = ['anna', 'bert', 'carl', 'dora'].map((key) => Buffer.from(key));
    await producer.send(keys.map((key) => ({ key, value: Buffer.from(''), partition: 0 })));
    await producer.send([{ key: keys[3]!, value: null, partition: 0 }]);
  });
}

describe('an application in the hands of its operator', () => {
  test('status finds all instances by one of them, on whichever free ports they are', async () => {
    scenario = await Scenario.create({ timeoutMs: 3_600_000, partitions: 2 });
    const address = await readyAddressOf(scenario.start('a'));
    const other = await readyAddressOf(scenario.start('b'));
    const { code, stdout } = await run('status', '--url', address);
    expect(stdout).toContain(`${other} is ready`);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('is not shown')]);
  });

  test('[R3] doctor and status say how it is; reset says what is lost, does it only when told, and it begins again', async () => {
    scenario = await Scenario.create({ timeoutMs: 3_600_000, partitions: 1 });
    const before = await run('doctor');
    expect(before.code).toBe(0);
    expect(before.stdout).toContain('no processor of visits runs');

    const processor = scenario.start();
    const address = await addressOf(processor);
    await visit();
    await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    const status = await run('status', '--url', address);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/visits\/0 +running +3 live +lag 0/) });
    expect((await run('doctor')).stdout).toContain('processors of visits run');
    expect(await run('reset', '--confirm', scenario.application)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/stop every processor of visits first; one that was killed counts for up to \d+ s/),
    });
    expect(await scenario.stop(processor)).toBe(0);
    expect(await run('status', '--url', address)).toMatchObject({ code: 3, stderr: expect.stringContaining(address) });

    const asked = await run('reset');
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('holds 3 live keys') });
    expect(asked.stdout).toContain(`add --confirm ${scenario.application}`);
    expect((await run('reset', '--confirm', 'other')).code).toBe(2);
    expect((await run('reset')).stdout).toBe(asked.stdout);
    const done = await run('reset', '--confirm', scenario.application, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({
      forgotten: true,
      verifySince: expect.stringMatching(/Z$/),
      pipelines: [{ state: 'held', liveEntries: 3 }],
    });
    expect((await run('reset')).stdout).toContain('holds no state');

    const again = scenario.start();
    await addressOf(again);
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 2);
    expect(summaries.map(({ summary }) => summary.incarnation)).toEqual(['0-3', '0-3']);
    expect(await scenario.stop(again)).toBe(0);

    // The state written since the reset is like any other: the emptied log begins above offset 0.
    for (const instance of ['a', 'elsewhere']) {
      const later = scenario.start(instance);
      const address = await addressOf(later);
      await later.line(/task runs/);
      expect((await run('status', '--url', address)).stdout).toMatch(/visits\/0 +running +3 live/);
      expect(await scenario.stop(later)).toBe(0);
    }
  });

  test('[I9] a key that lives in two partitions is shown twice, with why', async () => {
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 2 });
    const processor = scenario.start();
    const beat = { key: Buffer.from('twice'), value: new Uint8Array() };
    await scenario.producing((producer) => producer.send([0, 1].map((partition) => ({ ...beat, partition }))));
    let found = await run('sessions', 'get', 'twice', '--json');
    while (found.stdout.split('\n').length < 2) found = await run('sessions', 'get', 'twice', '--json');
    const lives = found.stdout.split('\n').map((line) => JSON.parse(line) as { partition: number; state: string });
    expect(lives.map(({ partition, state }) => [partition, state]).toSorted()).toEqual([
      [0, 'live'],
      [1, 'live'],
    ]);
    expect(found).toMatchObject({ code: 0, stderr: expect.stringContaining('partitioner=murmur2_random') });
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('doctor names what is wrong and goes on', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000 });
    const { code, stdout } = await run('doctor', '--json', '--state-dir', '/proc/none');
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Record<string, string>[] };
    const wrong = findings.filter(({ outcome }) => outcome === 'wrong').map(({ what }) => what);
    expect(new Set(wrong)).toEqual(new Set(['state directory', 'topics']));
    expect(stdout).toContain('flatline topics create');
  });

  test('doctor asks the schema registry as the processor does, and shows no password', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 1_000 });
    const registry = new URL(process.env['SCHEMA_REGISTRY_URL']!);
    registry.username = 'someone';
    registry.password = 'a-secret';
    const asked = await flatline(['doctor', '--config', scenario.config], { SCHEMA_REGISTRY_URL: registry.href })
      .finished;
    expect(asked.stdout).toContain(`ok      schema registry: ${registry.protocol}//${registry.host}`);
    const down = { SCHEMA_REGISTRY_URL: 'http://someone:a-secret@127.0.0.1:1' };
    const refused = await flatline(['doctor', '--config', scenario.config], down).finished;
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/WRONG +schema registry: .*SCHEMA_REGISTRY_URL/);
    expect(asked.stdout + asked.stderr + refused.stdout + refused.stderr).not.toContain('a-secret');
  });
});
