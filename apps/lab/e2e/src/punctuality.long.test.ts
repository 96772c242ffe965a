// How late a close is, in real time, relative to the slowness of the broker and this machine meanwhile.
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { addressOf } from './metrics.fixture.ts';
import { besideRoundTrips } from './round-trips.fixture.ts';
import { type Outputs, Scenario } from './scenario.fixture.ts';
import { offsetsUsed } from './topics.fixture.ts';
import { verify } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const EMPTY = new Uint8Array();
/** Default of `clockSkewMs`. */
const CLOCK_SKEW_MS = 500;
/** Maximum delay of a close (X1), plus this many of the slowest acknowledgement: a proof and a transaction are several. */
const PROMISED_MS = 1_000;
const ROUND_TRIPS = 4;

function closedBeside(sessions: number): Promise<{ readonly result: Outputs; readonly slowestMs: number }> {
  return besideRoundTrips(scenario, () => scenario.outputs(({ tombstones }) => tombstones.length >= sessions));
}

describe('punctuality', () => {
  test('[C2][C4][X1] 1 000 sessions close within timeout + 1 s and four round trips, none before its timeout by append times', async () => {
    const timeoutMs = 4_000;
    scenario = await Scenario.create({ timeoutMs });
    const processor = scenario.start();
    await processor.line(/task runs/);
    await scenario.producing((producer) =>
      producer.send(Array.from({ length: 1_000 }, (_, i) => ({ key: Buffer.from(`device-${i}`), value: EMPTY }))),
    );
    const { result, slowestMs } = await closedBeside(1_000);
    const { summaries } = result;
    expect(await scenario.stop(processor)).toBe(0);
    // The output's append time against the input's: both are the broker's clock.
    const delays = summaries.map(({ timestamp, summary }) => timestamp - (summary.lastSeenAt + timeoutMs));
    expect(summaries).toHaveLength(1_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(PROMISED_MS + ROUND_TRIPS * slowestMs);
  });

  test('[C3][C4][X1] with proof "fetch" sessions close on time too, and nothing is written to the input', async () => {
    const timeoutMs = 4_000;
    scenario = await Scenario.create({ timeoutMs, pipeline: { proof: 'fetch' } });
    const processor = scenario.start();
    await processor.line(/task runs/);
    const sessions = 1_000;
    await scenario.producing((producer) =>
      producer.send(Array.from({ length: sessions }, (_, i) => ({ key: Buffer.from(`device-${i}`), value: EMPTY }))),
    );
    const { result, slowestMs } = await closedBeside(sessions);
    const { summaries } = result;
    const metrics = await (await fetch(`${await addressOf(processor)}/metrics`)).text();
    expect(await scenario.stop(processor)).toBe(0);
    const delays = summaries.map(({ timestamp, summary }) => timestamp - (summary.lastSeenAt + timeoutMs));
    expect(summaries).toHaveLength(sessions);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(CLOCK_SKEW_MS + PROMISED_MS + ROUND_TRIPS * slowestMs);
    expect(await offsetsUsed(scenario.kafka, scenario.input, scenario.partitions)).toBe(sessions);
    const overtaken = [...metrics.matchAll(/^flatline_clock_overtaken_total\{.*\} (\d+)$/gm)].map(([, count]) => count);
    expect(overtaken).toEqual(['0']);
    const { violations, undecided, closed } = await verify(scenario);
    expect({ violations, closed }).toEqual({ violations: [], closed: sessions });
    for (const what of undecided) expect(what).toMatch(/\(V3\): by proof "fetch"/);
  });
});
