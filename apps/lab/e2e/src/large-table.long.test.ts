// A table that was written before its stream: no session lacks its row, and how late a quiet table makes closes (S8).
import { afterEach, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const ROWS = Number(process.env['TABLE_ROWS'] ?? 300_000);
/** Rows whose keys have a session. */
const BEATEN = Math.min(ROWS, 20_000);
/** Rows that the checker folds in minutes. */
const VERIFIED_MAX = 500_000;
const PARTITIONS = 4;
const TIMEOUT_MS = 5_000;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function send(topic: string, records: Iterable<{ readonly key: Buffer; readonly value: Buffer }>): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    await producer.send(records);
    await producer.close();
  } finally {
    connection.close();
  }
}

function* rows(): Generator<{ readonly key: Buffer; readonly value: Buffer }> {
  for (let i = 0; i < ROWS; i += 1)
    yield { key: Buffer.from(`v${i}`), value: Buffer.from(`{"attributes":{"n":"${i}"}}`) };
}

function* beats(): Generator<{ readonly key: Buffer; readonly value: Buffer }> {
  const step = Math.floor(ROWS / BEATEN);
  for (let i = 0; i < BEATEN; i += 1) yield { key: Buffer.from(`v${i * step}`), value: Buffer.alloc(0) };
}

const secondsSince = (start: number): string => `${((Date.now() - start) / 1_000).toFixed(1)} s`;

test(`[S8] ${ROWS} rows, then beats: each session has its row`, async () => {
  scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
  const table = `${scenario.application}-table`;
  scenario.configure({
    input: [{ topic: scenario.input }, { topic: table, touches: false, unknownKey: 'hold', holdMs: 86_400_000 }],
    emit: ['opened', 'closed'],
  });
  const { config } = scenario;
  await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
  const start = Date.now();
  await send(table, rows());
  const written = secondsSince(start);
  const begun = Date.now();
  const running = scenario.start();
  await send(scenario.input, beats());
  const { summaries } = await scenario.outputs((outputs) => outputs.summaries.length >= BEATEN);
  console.log(`${ROWS} rows written in ${written}, ${BEATEN} sessions closed ${secondsSince(begun)} after the start`);
  const without = summaries.filter(
    ({ summary }) => `v${summary.attributes.get('n')}` !== Buffer.from(summary.key).toString(),
  );
  expect(without).toEqual([]);
  expect(await scenario.stop(running)).toBe(0);
  if (ROWS <= VERIFIED_MAX) await expectVerified(scenario);
});
