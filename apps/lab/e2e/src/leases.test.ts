// Leases on a real broker, judged by a second reading of the rules over the content of the input topic.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Random } from '@flatline/base';
import { foldLeases, type FoldedLeases, type Said } from '@flatline/oracle/lease';
import { connect, LeaseNotGot } from '@flatline/client';
import { readFileSync } from 'node:fs';
import { HttpSchemaRegistry } from '@flatline/records';
import { systemClock } from '@flatline/system';
import avsc from 'avsc';
import { kill, killAll } from './child.fixture.ts';
import {
  bytes,
  type Headers,
  latestSchema,
  PARTITIONS,
  pipelineOf,
  type ProducedRecord,
  recordOf,
  recordsIn,
  sendUnderKills,
  textOf,
} from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { offsetsUsed } from './topics.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function createScenario(pipeline: object): Promise<Scenario> {
  return Scenario.create({ timeoutMs: 2_000, partitions: PARTITIONS, pipeline: { kind: 'lease', ...pipeline } });
}

function request(key: string, value: object | string | null, headers: Headers = {}): ProducedRecord {
  return recordOf(key, typeof value === 'object' && value !== null ? JSON.stringify(value) : value, headers);
}

function ask(...asked: Parameters<typeof request>): Promise<unknown> {
  return scenario.producing((producer) => producer.send([request(...asked)]));
}

/** The result of the rules for the present input, by partition. */
async function folded(): Promise<readonly FoldedLeases[]> {
  const { rules, heldTime } = pipelineOf(scenario, 'lease');
  const input = await recordsIn(scenario, scenario.input);
  return input.map((records, partition) => foldLeases(records, { partition, rules, heldTime, logAppendTime: true }));
}

/** The records of the output, by key. */
async function said(parse: (value: Uint8Array) => Said = fromJson): Promise<Readonly<Record<string, Said[]>>> {
  const all: Record<string, Said[]> = {};
  for (const { key, value } of (await recordsIn(scenario, scenario.output)).flat())
    (all[textOf(key)] ??= []).push(value && parse(value));
  return all;
}

function fromJson(value: Uint8Array): Said {
  return JSON.parse(textOf(value)) as Said;
}

/** Waits until the output has this answer for a key, and returns it. */
async function answer(
  key: string,
  wanted: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const found = (await said())[key]?.find(
      (each) => each !== null && Object.entries(wanted).every(([name, value]) => each[name] === value),
    );
    if (found) return found;
    await sleep(50);
  }
}

/** Waits until the input proves that all leases have ended, and all answers are out; then compares. */
async function expectAsFolded(): Promise<readonly FoldedLeases[]> {
  for (;;) {
    const folds = await folded();
    const all = Object.fromEntries(folds.flatMap((fold) => [...fold.said].filter(([, each]) => each.length > 0)));
    const words = Object.values(all).flat();
    // A start sent twice is granted twice: a lease is its key and its token.
    const granted = new Set(
      words.flatMap((each) => (each?.['type'] === 'GRANTED' ? [JSON.stringify([each['leaseId'], each['token']])] : [])),
    );
    const isOver = words.filter((each) => each === null).length >= granted.size;
    const found = isOver ? await said() : {};
    if (isOver && Object.values(found).flat().length >= words.length) {
      expect(found).toEqual(all);
      return folds;
    }
    await sleep(200);
  }
}

/** Resolves after a second without a clock record: then no lock delay is left, whose end is not announced. */
async function nothingWritten(): Promise<void> {
  let before = -1;
  for (;;) {
    const used = await offsetsUsed(scenario.kafka, scenario.input, PARTITIONS);
    if (used === before) return;
    before = used;
    await sleep(1_000);
  }
}

describe('leases on a real broker', () => {
  test('[L1][L3][L4] are granted, kept by renewals with the token, refused to others, and expire by silence', async () => {
    scenario = await createScenario({ onConflict: 'reject' });
    const processor = scenario.start();
    await ask('job', { type: 'STARTED', attributes: { host: 'a' } }, { 'flatline-request-id': 'r1' });
    const { token, grantedAt } = await answer('job', { type: 'GRANTED', requestId: 'r1' });
    for (let i = 0; i < 6; i += 1) {
      await sleep(600);
      await ask('job', '', { 'flatline-token': String(token) });
    }
    await ask('job', { type: 'STARTED', requestId: 'r2' });
    expect(await answer('job', { requestId: 'r2' })).toMatchObject({
      type: 'REJECTED',
      reason: 'HELD',
      holder: { host: 'a' },
    });
    const { at, renewals } = await answer('job', { type: 'EXPIRED', reason: 'TIMEOUT', token });
    expect(renewals).toBe(6);
    expect(Number(at) - Number(grantedAt)).toBeGreaterThan(2_000 + 6 * 600);
    await ask('job', '', { 'flatline-token': String(token) });
    expect(await answer('job', { reason: 'NOT_HELD' })).toMatchObject({ token });
    await expectAsFolded();
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[L3][L4][L5][L6][F1][O1] with processors killed: each word once, as the rules say', async () => {
    scenario = await createScenario({ onConflict: 'queue', maxWaiters: 2, lockDelayMs: 300, bucketMs: 100 });
    const act = async (_i: number, random: Random): Promise<readonly ProducedRecord[]> => {
      const below = (bound: number): number => random.below(bound);
      const key = `lease-${below(4)}`;
      const granted = ((await said())[key] ?? []).filter((each) => each?.['type'] === 'GRANTED');
      const holder = below(5) > 0 ? granted.at(-1) : granted[0];
      const kind = below(10);
      const times = { timeoutMs: 1_000 + below(1_000), waitMs: below(3_000) };
      if (kind < 4) return [request(key, { type: 'STARTED', requestId: `r${below(30)}`, ...times })];
      return [request(key, kind < 8 ? '' : null, { 'flatline-token': Number(holder?.['token'] ?? 7) })];
    };
    await sendUnderKills(scenario, act);
    const folds = await expectAsFolded();
    await nothingWritten();
    expect((await expectSound(scenario)).closed).toBeGreaterThan(3);
    const types = new Set(folds.flatMap(({ said: all }) => [...all.values()].flat().map((each) => each?.['type'])));
    expect([...types].filter(Boolean).sort()).toEqual(['EXPIRED', 'GRANTED', 'QUEUED', 'REJECTED', 'RELEASED']);
  });

  test('[L8][L4] the SDK keeps a lease while the processor is down, and hands it on in order', async () => {
    scenario = await createScenario({ onConflict: 'queue', maxDurationMs: 600_000 });
    let processor = scenario.start();
    const sdk = connect({ brokers: scenario.kafka.brokers });
    const leases = await sdk.leases({ topic: scenario.input, answers: scenario.output });
    const first = await leases.acquire('leader', { attributes: new Map([['host', 'a']]) });
    const next = leases.acquire('leader', { waitMs: 60_000 });
    expect(first.isHeld).toBe(true);
    await answer('leader', { type: 'QUEUED' });
    await kill(processor.child);
    await sleep(5_000);
    expect(first.isHeld).toBe(true);
    processor = scenario.start();
    first.release();
    expect(first.isHeld).toBe(false);
    expect(await first.over).toBe('ENDED');
    const second = await next;
    expect([second.isHeld, second.token > first.token]).toEqual([true, true]);
    await sleep(4_000);
    expect(second.isHeld).toBe(true);
    const impatient = leases.acquire('leader', { waitMs: 0 });
    await expect(impatient).rejects.toThrow('the lease leader was not got: HELD');
    await expect(impatient).rejects.toThrow(LeaseNotGot);
    await expect(impatient).rejects.toMatchObject({
      reason: 'HELD',
      holder: expect.any(Map),
      deadlineAt: expect.any(Number),
    });
    await sdk.close();
    expect(await second.over).toBe('ENDED');
    await expectAsFolded();
    const ends = (await said())['leader']?.filter(
      (each) => each?.['type'] === 'EXPIRED' || each?.['type'] === 'RELEASED',
    );
    for (const { token } of [first, second])
      expect(ends?.find((each) => each?.['token'] === token)?.['type']).toBe('RELEASED');
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[L1] in Avro: requests of either schema, events by the one that is registered', async () => {
    scenario = await createScenario({});
    scenario.configure({ output: { topic: scenario.output, format: 'avro' } });
    const url = process.env['SCHEMA_REGISTRY_URL'] ?? '';
    const registry = new HttpSchemaRegistry({ url, clock: systemClock });
    const processor = scenario.start();
    const values = await Promise.all([
      avroValue(registry, 'session-event', {
        type: 'STARTED',
        occurredAt: null,
        eventId: null,
        sequence: null,
        timeoutMs: 1_500,
        attributes: { host: 'a' },
      }),
      avroValue(registry, 'lease-request', {
        type: 'ENDED',
        occurredAt: null,
        eventId: null,
        sequence: null,
        timeoutMs: null,
        attributes: {},
        token: 1,
        requestId: 'bye',
        waitMs: null,
      }),
    ]);
    for (const value of values)
      await scenario.producing((producer) => producer.send([{ key: bytes('job'), value, partition: 0 }]));
    const type = avsc.Type.forSchema(await latestSchema(url, `${scenario.output}-value`), { wrapUnions: 'never' });
    const parse = (value: Uint8Array): Said =>
      JSON.parse(JSON.stringify(type.fromBuffer(Buffer.from(value.subarray(5))))) as Said;
    for (let all = await said(parse); ; all = await said(parse)) {
      const [granted, released, tombstone] = all['job'] ?? [];
      if (tombstone === undefined) continue;
      expect(granted).toMatchObject({
        leaseId: 'job',
        type: 'GRANTED',
        token: 1,
        timeoutMs: 1_500,
        attributes: { host: 'a' },
        holder: null,
      });
      expect(released).toMatchObject({ type: 'RELEASED', token: 1, requestId: 'bye', offset: 1, reason: null });
      expect(tombstone).toBeNull();
      break;
    }
    expect(await scenario.stop(processor)).toBe(0);
    expect(await expectSound(scenario)).toMatchObject({ incarnations: 1, closed: 1, open: 0 });
  });
});

async function avroValue(registry: HttpSchemaRegistry, name: string, value: object): Promise<Uint8Array> {
  const schema = readFileSync(new URL(`../../../../schemas/${name}.avsc`, import.meta.url), 'utf8');
  const id = Buffer.alloc(5);
  id.writeInt32BE(await registry.schemaId(`${scenario.input}-${name}-value`, schema), 1);
  const type = avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, { wrapUnions: 'never' });
  return Buffer.concat([id, type.toBuffer(value)]);
}
