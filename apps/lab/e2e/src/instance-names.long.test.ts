// Two processes with the same `instance`: the later one takes the former's place (KIP-345), and the former ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { memberIdsOf } from './kafkajs-group.fixture.ts';
import { addressOf, fetchJson, ready } from './metrics.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

const USAGE = 2;
const REPLACED = 4;
const SECRETS = { INGEST_TOKEN: 'hush' };
const INGEST = { tokens: [{ env: 'INGEST_TOKEN' }], port: 0 };

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** A process, or that many workers, named `m`. */
function start(place: string, { workers, config = scenario.config }: { workers?: number; config?: string }): Running {
  const count = workers === undefined ? [] : ['--workers', String(workers)];
  const args = ['run', '--config', config, '--json', '--instance', 'm', '--http-port', '0', ...count];
  return flatline([...args, '--state-dir', scenario.stateDir(place)], SECRETS);
}

/** The configuration of `scenario`, with the ingest port of a running process. */
async function withPortOf(running: Running): Promise<string> {
  const [, port] = /takes heartbeats over HTTP.*:(\d+)/.exec(await running.line(/takes heartbeats over HTTP/))!;
  const config = join(scenario.folder, 'taken.config.json');
  const written = JSON.parse(readFileSync(scenario.config, 'utf8')) as object;
  writeFileSync(config, JSON.stringify({ ...written, ingest: { ...INGEST, port: Number(port) } }));
  return config;
}

describe('two of one name', () => {
  test.each([
    ['a process', undefined],
    ['a supervisor', 2],
  ])('[P2] %s that cannot bind its ingest port leaves the first one in its place', async (_what, workers) => {
    scenario = await Scenario.create({ timeoutMs: 3_000, ingest: INGEST });
    const first = start('first', { ...(workers && { workers }) });
    const address = await addressOf(first);
    await ready(address);
    const before = await memberIdsOf(scenario.kafka.brokers, `${scenario.application}.visits`);
    expect(before).toHaveLength(workers ?? 1);
    const config = await withPortOf(first);
    const second = await start('second', { config, ...(workers && { workers }) }).finished;
    expect(second.code).toBe(USAGE);
    expect(second.stderr).toContain('ingest.port');
    expect(await memberIdsOf(scenario.kafka.brokers, `${scenario.application}.visits`)).toEqual(before);
    expect(await scenario.stop(first)).toBe(0);
  });

  test('[P2] a supervisor whose workers are replaced ends, and says whose name it had; the second one stays', async () => {
    scenario = await Scenario.create({ timeoutMs: 3_000 });
    const first = start('first', { workers: 2 });
    await ready(await addressOf(first));
    const second = start('second', { workers: 2 });
    const address = await addressOf(second);
    const { code, stderr } = await first.finished;
    expect(code).toBe(REPLACED);
    expect(stderr).toContain('another process runs as instance m: it has replaced worker');
    expect(stderr).not.toContain('it is started again');
    await ready(address);
    const { workers } = await fetchJson<{ workers: readonly { restarts: number }[] }>(address, '/api/v1/workers');
    expect(workers.map(({ restarts }) => restarts)).toEqual([0, 0]);
    expect(await scenario.stop(second)).toBe(0);
  });

  test('[P2] of two supervisors that start at once one ends, and the other has all of its workers', async () => {
    scenario = await Scenario.create({ timeoutMs: 3_000 });
    const both = ['first', 'second'].map((place) => start(place, { workers: 2 }));
    const addresses = await Promise.all(both.map(addressOf));
    const [ended, { code, stderr }] = await Promise.race(
      both.map(async (each, at) => [at, await each.finished] as const),
    );
    expect([code, stderr]).toEqual([REPLACED, expect.stringContaining('another process runs as instance m')]);
    const other = 1 - ended;
    await ready(addresses[other]!);
    expect(await scenario.stop(both[other]!)).toBe(0);
  });
});
