// The output of each kind of pipeline on a real broker, as the SDK gives it to a group of consumers.
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Batch, connect, type Flatline, type ReceivedReceipt } from '@flatline/client';
import { randomUUID } from 'node:crypto';
import { kill, killAll } from './child.fixture.ts';
import { bytes, PARTITIONS, type ProducedRecord, recordOf, textOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

const FORMATS = ['json', 'avro'] as const;

let scenario: Scenario;
let flatline: Flatline;
afterEach(async () => {
  await flatline.close();
  await killAll();
  await scenario.dispose();
});

async function create(pipeline: object, format: 'json' | 'avro' = 'json'): Promise<void> {
  scenario = await Scenario.create({ partitions: PARTITIONS, pipeline });
  scenario.configure({ output: { topic: scenario.output, format } });
  const schemaRegistryUrl = process.env['SCHEMA_REGISTRY_URL'] ?? '';
  flatline = connect({ brokers: scenario.kafka.brokers, schemaRegistryUrl });
}

function push(...records: readonly ProducedRecord[]): Promise<unknown> {
  return scenario.producing((producer) => producer.send([...records]));
}

/** Takes that many as one of a group, whose position is then behind them. */
async function take<Output>(
  count: number,
  read: (options: { topic: string; group: string; signal: AbortSignal }) => AsyncIterable<Output>,
): Promise<Output[]> {
  const ending = new AbortController();
  const taken: Output[] = [];
  for await (const output of read({ topic: scenario.output, group: scenario.application, signal: ending.signal })) {
    taken.push(output);
    if (taken.length === count) ending.abort();
  }
  return taken;
}

describe('the SDK reads', () => {
  test.each(FORMATS)('[O1] summaries in %s: a group goes on behind what it has handled', async (format) => {
    await create({ kind: 'session', timeoutMs: 2_000 }, format);
    const processor = scenario.start();
    await push(recordOf('anna', '{"type":"VIEW","attributes":{"page":"/"}}'), recordOf('bert', ''));
    await push(recordOf('bert', null));
    const found = await take(2, (options) => flatline.summaries(options));
    const anna = found.find(({ keyText }) => keyText === 'anna')!;
    expect(anna).toMatchObject({ kind: 'summary', key: bytes('anna'), summary: { reason: 'TIMEOUT', eventCount: 1 } });
    expect(anna.summary.attributes).toEqual(new Map([['page', '/']]));
    expect(anna.id).toBe(`${anna.summary.incarnation}/0`);
    await push(recordOf('carl', ''), recordOf('carl', null));
    const [again] = await take(1, (options) => flatline.outputs({ kind: 'session', ...options }));
    expect(again).toMatchObject({ keyText: 'carl', summary: { reason: 'ENDED' } });
    expect(await scenario.stop(processor)).toBe(0);
  });

  test.each(FORMATS)('[B3] batches in %s: an item is what it is, in either format', async (format) => {
    await create({ kind: 'debounce', waitMs: 500 }, format);
    const processor = scenario.start();
    await push(recordOf('doc', '{"edit": 1}'), recordOf('doc', 'plain'), recordOf('doc', Uint8Array.of(0xff)));
    await push(recordOf('gone', '1'), recordOf('gone', null));
    const found = await take(2, (options) => flatline.batches(options));
    const doc = found.find(({ keyText }) => keyText === 'doc')!;
    expect(doc).toMatchObject({ kind: 'batch', batch: { key: 'doc', reason: 'QUIET', count: 3, part: 0, last: true } });
    expect(doc.batch.items.map(({ value }) => value)).toEqual([{ edit: 1 }, 'plain', Uint8Array.of(0xff)]);
    const untouched = format === 'avro' ? [...bytes('{"edit": 1}')] : undefined;
    expect(doc.batch.items[0]?.bytes && [...doc.batch.items[0].bytes]).toEqual(untouched);
    expect(doc.id).toBe(`${doc.batch.windowId}/QUIET/0`);
    expect(found.find(({ keyText }) => keyText === 'gone')?.batch).toMatchObject({ reason: 'CANCELLED', items: [] });
    expect(await scenario.stop(processor)).toBe(0);
  });

  test.each(FORMATS)('[L4] events of leases in %s', async (format) => {
    await create({ kind: 'lease', timeoutMs: 2_000, onConflict: 'queue' }, format);
    const processor = scenario.start();
    const ask = (requestId: string): ProducedRecord =>
      recordOf('report', JSON.stringify({ type: 'STARTED', requestId, attributes: { host: requestId } }));
    await push(ask('a'), ask('b'));
    const found = await take(4, (options) => flatline.leaseEvents(options));
    expect(found.map(({ keyText, event: { type, requestId } }) => [keyText, type, requestId])).toEqual([
      ['report', 'GRANTED', 'a'],
      ['report', 'QUEUED', 'b'],
      ['report', 'EXPIRED', 'a'],
      ['report', 'GRANTED', 'b'],
    ]);
    const [, queued, expired] = found.map(({ event }) => event);
    expect(queued!.holder).toEqual(new Map([['host', 'a']]));
    expect(expired).toMatchObject({ reason: 'TIMEOUT', leaseId: 'report', token: found[0]!.event.token });
    expect(new Set(found.map(({ id }) => id)).size).toBe(4);
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[D1][D4] runs and receipts, of the output and of a target', async () => {
    const target = `e2e-target-${randomUUID()}`;
    await create({ kind: 'schedule', receipts: 'all', targets: [target], minEveryMs: 500 });
    const processor = scenario.start();
    const dueAt = Date.now() + 1_000;
    await push(
      recordOf('mail', '{"to":"anna"}', { 'flatline-due-at': dueAt, 'flatline-schedule-id': 'x', trace: 'abc' }),
      recordOf('push', 'there', { 'flatline-delay-ms': 200, 'flatline-target': target }),
      recordOf('tick', Uint8Array.of(0xff), { 'flatline-every-ms': 500, 'flatline-max-runs': 2 }),
    );
    const receipts: ReceivedReceipt[] = [];
    const found = await take(3, (options) =>
      flatline.runs({ ...options, onReceipt: ({ receipt }) => receipts.push(receipt) }),
    );
    const mail = found.find(({ keyText }) => keyText === 'mail')!;
    expect(mail.run).toMatchObject({ scheduleId: 'x', number: 1, last: true, missed: 0, dueAt });
    expect([textOf(mail.run.value), mail.id]).toEqual(['{"to":"anna"}', `${mail.run.schedule}/1`]);
    expect(mail.run.headers).toEqual([{ name: 'trace', value: bytes('abc') }]);
    const ticks = found
      .filter(({ keyText }) => keyText === 'tick')
      .map(({ run }) => [run.number, run.last, ...run.value]);
    expect(ticks).toEqual([
      [1, false, 0xff],
      [2, true, 0xff],
    ]);
    expect(receipts).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'SCHEDULED', scheduleId: 'x', dueAt })]),
    );
    const there = await take(1, (options) => flatline.runs({ ...options, topic: target }));
    expect(there.map(({ keyText, run }) => [keyText, textOf(run.value)])).toEqual([['push', 'there']]);
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[B2][O1][F1] each batch once, in the order of its key, though the processor is killed and members come and go', async () => {
    await create({ kind: 'debounce', waitMs: 200, maxItems: 5 });
    const processor = scenario.start();
    const given = new Map<string, Batch>();
    let done = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    let items = 0;
    const handler = (batch: Batch): void => {
      if (!given.has(batch.id)) items += batch.batch.items.length;
      given.set(batch.id, batch);
      if (items === 600) done();
    };
    const options = { topic: scenario.output, group: scenario.application, handler, commitIntervalMs: 10 };
    const leaving = new AbortController();
    const first = flatline.handleBatches({ ...options, signal: leaving.signal });
    const second = flatline.handleBatches(options);
    for (let i = 0; i < 20; i += 1) {
      await push(...Array.from({ length: 30 }, (_, n) => recordOf(`key-${n % 7}`, `[${i},${n}]`)));
      if (i === 10) await kill(processor.child);
      if (i === 10) scenario.start('b');
      if (i === 15) leaving.abort();
    }
    await Promise.all([all, first]);
    await flatline.close();
    await second;
    const byKey = Map.groupBy(
      [...given.values()].flatMap(({ keyText, batch }) => batch.items.map((item) => ({ keyText, ...item }))),
      ({ keyText }) => keyText,
    );
    for (const each of byKey.values())
      expect(each.map(({ offset }) => offset)).toEqual(each.map(({ offset }) => offset).sort((a, b) => a - b));
    expect(new Set([...byKey.values()].flat().map(({ value }) => JSON.stringify(value))).size).toBe(600);
    await expectSound(scenario);
  });
});
