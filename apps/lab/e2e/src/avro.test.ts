import { afterEach, describe, expect, test } from '@jest/globals';
import { type HeartbeatProducer, openHeartbeatProducer } from '@flatline/client/parts';
import { HttpSchemaRegistry } from '@flatline/records';
import { EVENT_SCHEMA } from '@flatline/records/events';
import { SUMMARY_SCHEMA } from '@flatline/records/summaries';
import { openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { killAll } from './child.fixture.ts';
import { readRaw } from './raw-topic.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const TIMEOUT_MS = 2_000;
const PARTITIONS = 2;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const url = process.env['SCHEMA_REGISTRY_URL'] ?? '';
const registry = new HttpSchemaRegistry({ url, clock: systemClock });

/** The registry's own answer, requested without any code of ours. */
async function latestSchema(subject: string): Promise<{ readonly id: number; readonly schema: unknown }> {
  const answer = await fetch(`${url}/subjects/${subject}/versions/latest`);
  const { id, schema } = (await answer.json()) as { id: number; schema: string };
  return { id, schema: JSON.parse(schema) as unknown };
}

/** A JSON and an Avro producer of the SDK, on one input. */
async function withProducers(use: (avro: HeartbeatProducer, json: HeartbeatProducer) => Promise<void>): Promise<void> {
  const connection = openCluster(scenario.kafka);
  const options = { clock: systemClock, connection, topic: scenario.input, registry };
  const avro = await openHeartbeatProducer({ ...options, format: 'avro' });
  const json = await openHeartbeatProducer(options);
  try {
    await use(avro, json);
  } finally {
    await Promise.all([avro.close(), json.close()]);
    connection.close();
  }
}

async function createScenario(): Promise<Scenario> {
  const created = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
  created.configure({ output: { topic: created.output, format: 'avro' } });
  return created;
}

const STREAM = 'mixed';

async function beatInEveryFormat(): Promise<void> {
  await withProducers(async (avro, json) => {
    // Two producers: each record is in the log before the other producer's next one.
    await avro.event(STREAM, { type: 'STARTED', sequence: 0, attributes: new Map([['page', '/']]) });
    await avro.flush();
    await json.event(STREAM, { type: 'VIEW', sequence: 1, attributes: new Map([['page', '/cart']]) });
    await json.beat(STREAM);
    await json.flush();
    await avro.event(STREAM, { type: 'VIEW', sequence: 2, eventId: 'e' });
  });
}

const MIXED = {
  reason: 'TIMEOUT',
  eventCount: 4,
  missingCount: 0,
  countsByType: new Map([
    ['STARTED', 1],
    ['VIEW', 2],
    ['HEARTBEAT', 1],
  ]),
  attributes: new Map([['page', '/cart']]),
};

describe('Avro with a registry', () => {
  test('[S10][O2] Avro, JSON and bare on one input; the schemas are registered by topic and the output names its schema', async () => {
    scenario = await createScenario();
    const processor = scenario.start();
    await beatInEveryFormat();
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 1, registry);
    expect(await scenario.stop(processor)).toBe(0);
    expect(summaries.map(({ summary }) => summary)).toMatchObject([MIXED]);

    const event = await latestSchema(`${scenario.input}-value`);
    const summary = await latestSchema(`${scenario.output}-value`);
    expect(event.schema).toEqual(JSON.parse(EVENT_SCHEMA.text));
    expect(summary.schema).toEqual(JSON.parse(SUMMARY_SCHEMA.text));
    const written = await readRaw(scenario.kafka, { topic: scenario.output, partitions: PARTITIONS, count: 2 });
    const header = Buffer.from(written[0]!.value!.slice(0, 5), 'latin1');
    expect([header[0], header.readInt32BE(1)]).toEqual([0, summary.id]);
    expect(written[1]!.value).toBeNull();
    await expectVerified(scenario);
  });

  test('[I1][I2][I3] garbage and unknown schema ids are dead letters, whole and with their place; the sessions between them are unharmed', async () => {
    scenario = await createScenario();
    const unknownSchema = Buffer.from([0, 0x7f, 0xff, 0xff, 0xf0, 1, 2, 3]);
    const poison = [
      { key: Buffer.from(STREAM), value: unknownSchema, reason: 'unknown-schema-id' },
      { key: Buffer.from(STREAM), value: Buffer.from([0, 1]), reason: 'invalid-avro' },
      { key: Buffer.from(STREAM), value: Buffer.from([0xff, 0xfe, 0]), reason: 'unknown-format' },
      { key: Buffer.from(STREAM), value: Buffer.from('{"type":'), reason: 'invalid-json' },
      { key: Buffer.from('__proto__'), value: Buffer.from('{"occurredAt":"now"}'), reason: 'invalid-occurred-at' },
      { key: Buffer.alloc(513, 'k'), value: Buffer.alloc(0), reason: 'key-too-long' },
      { key: null, value: Buffer.from('{}'), reason: 'null-key' },
    ];
    const send = (): Promise<unknown> =>
      scenario.producing((producer) =>
        producer.send(
          poison.map(({ key, value }) => ({ key, value, headers: [{ name: 'trace', value: Buffer.from([7, 0xff]) }] })),
        ),
      );
    const processor = scenario.start();
    await send();
    await beatInEveryFormat();
    await send();
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 1, registry);
    expect(summaries.map(({ summary }) => summary)).toMatchObject([MIXED]);
    const { kafka, application, input } = scenario;
    const deadLetters = `${application}.visits.dead-letters`;
    const count = 2 * poison.length;
    const letters = await readRaw(kafka, { topic: deadLetters, partitions: PARTITIONS, count });
    expect(await scenario.stop(processor)).toBe(0);
    const places = letters.map(({ headers }) => `${headers['flatline-partition']!}-${headers['flatline-offset']!}`);
    expect(new Set(places).size).toBe(count);

    // Clock records aside, the input has the originals: each letter is the record at the place that it names.
    const total = count + MIXED.eventCount;
    const originals = await readRaw(kafka, { topic: input, partitions: PARTITIONS, count: total });
    for (const { partition, key, value, headers } of letters) {
      const offset = Number(headers['flatline-offset']);
      const original = originals.find((each) => each.partition === partition && each.offset === offset);
      expect({ key, value, trace: headers['trace'] }).toEqual({
        key: original?.key,
        value: original?.value,
        trace: '\x07\xff',
      });
      expect(headers).toMatchObject({ 'flatline-topic': input, 'flatline-partition': String(partition) });
    }
    const reasons = letters.map(({ headers }) => headers['flatline-reason']).sort();
    expect(reasons).toEqual([...poison, ...poison].map(({ reason }) => reason).sort());
    // No other key became a session.
    expect((await scenario.outputsNow(registry)).summaries).toHaveLength(1);
    const { reach } = await expectVerified(scenario);
    expect(reach['badRecords']).toBe(count);
  });
});
