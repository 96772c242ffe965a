// Probes tell within seconds what stands still, and where: an instance, a broker, one partition (Q5).
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RunningBroker, startBroker } from '@flatline/dev-broker';
import { type Finished, killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { openTransaction } from './kafkajs-transaction.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, fetchJson, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

/** Within which it has to be said, plus so many times what a timer of this process was late at most: it asks nothing of the product. */
const SAID_WITHIN_MS = 5_000;
const TURNS = 4;
const PROBE_INTERVAL_MS = 1_000;
const LOOK_MS = 100;
const TRIES_MAX = 10;

interface Probe {
  readonly pipeline: string;
  readonly partition: number;
  readonly owner: string;
  readonly state: string;
  readonly leg: string | null;
  readonly waitsFor: string | null;
}

let broker: RunningBroker;
beforeAll(async () => {
  broker = await startBroker({ nodes: 3, ephemeral: true, shortLived: true, heapMb: 384 });
  process.env['KAFKA_BROKERS'] = broker.bootstrap;
}, 120_000);
afterAll(() => broker.stop());

let scenario: Scenario;
afterEach(async () => {
  await Promise.all(broker.nodes.map((node) => node.resume()));
  await killAll();
  await scenario.dispose();
});

interface Pair {
  readonly processors: readonly Running[];
  readonly addresses: readonly string[];
}

/** Two instances that probe, and have gone all the way with each of their partitions. */
async function pair(): Promise<Pair> {
  scenario = await Scenario.create({ timeoutMs: 60_000, partitions: 6 });
  scenario.setting('probeIntervalMs', PROBE_INTERVAL_MS);
  // An instance that stands still keeps what it has: only the others' word is to be heard.
  scenario.setting('kafka', { sessionTimeoutMs: 45_000, heartbeatIntervalMs: 1_000 });
  const processors = ['a', 'b'].map((name) => scenario.start(name));
  const addresses = await Promise.all(processors.map(addressOf));
  for (const address of addresses) await ready(address);
  const isSound = async (address: string): Promise<boolean> => {
    const found = await probesAt(address);
    return found.length === scenario.partitions / 2 && found.every(({ state }) => state === 'sound');
  };
  for (const address of addresses) while (!(await isSound(address))) await sleep(LOOK_MS);
  return { processors, addresses };
}

async function probesAt(address: string): Promise<readonly Probe[]> {
  return (await fetchJson<{ readonly probes: readonly Probe[] }>(address, '/api/v1/probes')).probes;
}

/** Waits until readiness says what matches, and metrics and the command agree. How long that took, and how long it may have taken. */
async function said(address: string, warning: RegExp, metric: RegExp): Promise<{ tookMs: number; atMostMs: number }> {
  const startedAt = performance.now();
  let latestMs = 0;
  for (;;) {
    const { warnings } = await fetchJson<{ readonly warnings: readonly string[] }>(address, '/readyz');
    const exposition = await (await fetch(`${address}/metrics`)).text();
    const tookMs = performance.now() - startedAt;
    if (warnings.some((each) => warning.test(each)) && metric.test(exposition))
      return { tookMs, atMostMs: SAID_WITHIN_MS + TURNS * latestMs };
    if (tookMs > 4 * SAID_WITHIN_MS)
      throw new Error(`not said: ${String(warning)}\n${warnings.join('\n')}\n${exposition}`);
    const sleptAt = performance.now();
    await sleep(LOOK_MS);
    latestMs = Math.max(latestMs, performance.now() - sleptAt - LOOK_MS);
  }
}

async function byCommand(address: string): Promise<Finished> {
  // A machine that is very busy: nothing was asked.
  const isUnreached = ({ code }: Finished): boolean => code === 3;
  let finished = await flatline(['probe', '--url', address]).finished;
  for (let tries = 1; isUnreached(finished) && tries < TRIES_MAX; tries += 1)
    finished = await flatline(['probe', '--url', address]).finished;
  return finished;
}

describe('probes', () => {
  test('[Q5][F10] one partition that is blocked, in a process whose loop is live: which leg, and by what', async () => {
    const { addresses } = await pair();
    expect((await byCommand(addresses[0]!)).code).toBe(0);
    const blocked = (await probesAt(addresses[0]!))[0]!.partition;
    const transaction = await openTransaction(scenario.kafka.brokers, { topic: scenario.input, partition: blocked });
    const { tookMs, atMostMs } = await said(
      addresses[0]!,
      new RegExp(`^visits/${blocked}: a probe is stuck at fetch for .*transaction of another producer is open`),
      new RegExp(`flatline_probe_stuck\\{pipeline="visits",partition="${blocked}",leg="fetch"\\} 1`),
    );
    expect(tookMs).toBeLessThan(atMostMs);
    const { code, stdout } = await byCommand(addresses[0]!);
    expect([code, stdout]).toEqual([1, expect.stringMatching(new RegExp(`visits/${blocked} .*stuck at fetch`))]);
    const others = (await probesAt(addresses[0]!)).filter(({ partition }) => partition !== blocked);
    expect(new Set(others.map(({ state }) => state))).toEqual(new Set(['sound']));
    await transaction.end();
    while ((await byCommand(addresses[0]!)).code !== 0) await sleep(LOOK_MS);
  });

  test('[Q5] an instance that stands still, said by the other', async () => {
    const { processors, addresses } = await pair();
    const [, frozen] = processors;
    frozen!.child.kill('SIGSTOP');
    const { tookMs, atMostMs } = await said(
      addresses[0]!,
      /^visits\/\d, which b has: no probe is seen for .*frozen, cut off/,
      /flatline_silent_owner_seconds\{pipeline="visits",partition="\d"\} [1-9]/,
    );
    const { code, stdout } = await byCommand(addresses[0]!);
    frozen!.child.kill('SIGCONT');
    expect(tookMs).toBeLessThan(atMostMs);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/ b +silent /)]);
    expect(stdout).toContain(`! ${addresses[1]!} does not answer`);
  });

  test('[Q5][F8] a broker that stands still, by name, and the log is none the worse', async () => {
    const { processors, addresses } = await pair();
    await scenario.producing(async (producer) => {
      await producer.send(Array.from({ length: 50 }, (_, i) => recordOf(`user ${i}`, '')));
    });
    const node = broker.nodes[2]!;
    await node.pause();
    const { tookMs, atMostMs } = await Promise.any(
      addresses.map((address) =>
        said(
          address,
          new RegExp(`(a probe is stuck at \\w+|no probe is seen) for .*broker ${node.id} at `),
          /flatline_probe_stuck\{.*\} 1|flatline_silent_owner_seconds\{/,
        ),
      ),
    );
    await node.resume();
    expect(tookMs).toBeLessThan(atMostMs);
    while ((await byCommand(addresses[0]!)).code !== 0) await sleep(LOOK_MS);
    for (const processor of processors) expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario);
  });
});
