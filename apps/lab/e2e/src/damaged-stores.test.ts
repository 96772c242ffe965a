import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { addressOf, fetchJson } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const SESSIONS = 300;
const LOOK_MS = 100;
const DAMAGED_STORES_MAX = 3;

/** Flips bytes all over the store's pages, as a failing disk would; its headers stay. */
function damage(stateDir: string): void {
  const file = join(stateDir, `${scenario.application}.visits`, '0', 'state.mdb');
  const bytes = readFileSync(file);
  for (let at = 2 * 4096; at < bytes.length; at += 97) bytes[at] = bytes[at]! ^ 0xff;
  writeFileSync(file, bytes);
}

/** Resolves once every session is alive in the processor: a stop commits no record that it has not read. */
async function taken(running: Running): Promise<void> {
  const address = await addressOf(running);
  const live = async (): Promise<number> => {
    const { partitions } = await fetchJson<{ partitions: readonly { liveEntries: number }[] }>(
      address,
      '/api/v1/partitions',
    );
    return partitions[0]!.liveEntries;
  };
  while ((await live()) < SESSIONS) await sleep(LOOK_MS);
}

/** The reasons of `/readyz` once the task runs, and the number of sessions restored. */
async function readiness(running: Running): Promise<{ readonly reasons: readonly string[]; readonly live: number }> {
  const line = await running.line(/"task runs"/);
  const address = await addressOf(running);
  const { reasons } = (await (await fetch(`${address}/readyz`)).json()) as { readonly reasons: readonly string[] };
  return { reasons, live: (JSON.parse(line) as { readonly liveEntries: number }).liveEntries };
}

test('[R2][F13] a store damaged again and again is rebuilt each time, and after the third within an hour it is said', async () => {
  scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 1 });
  const before = scenario.start();
  await before.line(/task runs/);
  await scenario.producing((producer) =>
    producer.send(Array.from({ length: SESSIONS }, (_, i) => ({ key: Buffer.from(`k${i}`), value: new Uint8Array() }))),
  );
  await taken(before);
  expect(await scenario.stop(before)).toBe(0);
  for (let damages = 1; damages <= DAMAGED_STORES_MAX + 1; damages += 1) {
    damage(scenario.stateDir('a'));
    const running = scenario.start();
    const { reasons, live } = await readiness(running);
    expect(live).toBe(SESSIONS);
    if (damages <= DAMAGED_STORES_MAX) expect(reasons).toEqual([]);
    else
      expect(reasons).toEqual([expect.stringMatching(/^visits: 4 local stores were dropped as damaged .*stateDir$/)]);
    expect(await scenario.stop(running)).toBe(0);
  }
});
