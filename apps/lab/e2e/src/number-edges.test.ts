// Numbers at their edges, from a real producer, through a real changelog: a successor must read its predecessor's state.
import { afterEach, expect, test } from '@jest/globals';
import { HttpSchemaRegistry } from '@flatline/records';
import { systemClock } from '@flatline/system';
import { kill, killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { type Outputs, Scenario } from './scenario.fixture.ts';
import { createTopic } from './topics.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const SESSIONS = 50;
const TIMEOUT_MS = 6_000;
const SAFE_MAX = 2 ** 53 - 1;
const NANOSECONDS = 1_000_000;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const url = process.env['SCHEMA_REGISTRY_URL'] ?? '';
const registry = new HttpSchemaRegistry({ url, clock: systemClock });

const bare = (key: string): { key: Buffer; value: Buffer } => ({ key: Buffer.from(key), value: Buffer.alloc(0) });
const event = (key: string, content: Readonly<Record<string, unknown>>): { key: Buffer; value: Buffer } => ({
  key: Buffer.from(key),
  value: Buffer.from(JSON.stringify(content)),
});

/** Live sessions, some with values that are hard to encode; then one that ends, whose output proves that all is committed. */
async function produce(timestampType: string): Promise<void> {
  await scenario.producing(async (producer) => {
    await producer.send(Array.from({ length: SESSIONS }, (_, i) => bare(`k${i}`)));
    await producer.send([
      event('late', { occurredAt: 2 ** 52 }),
      event('last', { occurredAt: 8.64e15, attributes: { a: 'b' } }),
      event('beyond', { occurredAt: 8.64e15 + 1 }),
      ...[0, SAFE_MAX, 0, SAFE_MAX, 0].map((sequence) => event('lossy', { type: 'STARTED', sequence })),
      bare('marker'),
    ]);
    await producer.send([{ key: Buffer.from('marker'), value: null }]);
    // Alone in its batch, by which the next block remembers the input.
    if (timestampType === 'CreateTime')
      await producer.send([{ ...bare('nanoseconds'), timestamp: Date.now() * NANOSECONDS }]);
  });
}

/** An input that takes any stamp, as it does before Kafka 4 by default (KIP-1030 bounds them to an hour ahead). */
async function create(timestampType: 'LogAppendTime' | 'CreateTime'): Promise<Scenario> {
  const created = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: 1, timestampType });
  const stamps = {
    'retention.ms': '-1',
    'message.timestamp.type': timestampType,
    'message.timestamp.after.max.ms': '9223372036854775807',
  };
  await createTopic(created.kafka, created.input, { partitions: 1, settings: stamps });
  await succeed(['topics', 'create', '--config', created.config, '--partitions', '1', '--replication', '1']);
  return created;
}

const keysOf = ({ summaries }: Outputs): string[] =>
  summaries.map(({ summary }) => Buffer.from(summary.key).toString());

test.each(['LogAppendTime', 'CreateTime'] as const)(
  '[I5][R1][F1] %s: after kill −9 and a start without the local store everyone closes, in Avro',
  async (timestampType) => {
    scenario = await create(timestampType);
    scenario.configure({ output: { topic: scenario.output, format: 'avro' } });
    const owner = scenario.start('a');
    await owner.line(/task runs/);
    await produce(timestampType);
    await scenario.outputs((outputs) => keysOf(outputs).includes('marker'), registry);
    await kill(owner.child);

    const heir = scenario.start('b');
    const all = ['marker', 'late', 'last', 'lossy', ...Array.from({ length: SESSIONS }, (_, i) => `k${i}`)];
    const isAll = (outputs: Outputs): boolean => outputs.tombstones.length >= all.length;
    const outputs = await scenario.outputs(isAll, registry);
    expect(keysOf(outputs).sort()).toEqual([...all].sort());
    const of = (key: string): unknown =>
      outputs.summaries.find(({ summary }) => Buffer.from(summary.key).toString() === key)?.summary;
    expect(of('late')).toMatchObject({ startedAt: 2 ** 52, endedAt: 2 ** 52, durationMs: 0 });
    expect(of('last')).toMatchObject({ endedAt: 8.64e15, attributes: new Map([['a', 'b']]) });
    expect(of('lossy')).toMatchObject({ eventCount: 5, missingCount: SAFE_MAX });
    expect(await scenario.stop(heir)).toBe(0);
    await expectVerified(scenario);
  },
);
