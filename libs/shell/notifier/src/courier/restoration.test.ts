import { expect, test } from '@jest/globals';
import type { Delivery } from '@flatline/deliveries';
import type { CommittedScan, RecordCursor, TopicPartition } from '@flatline/ports';
import { keptRecord } from '../records/delivery-record.ts';
import { VirtualClock } from '../virtual-clock.fixture.ts';
import { restore } from './restoration.ts';

const DELIVERY: Delivery = {
  endpoint: 'sink',
  id: 'visits:0-1:0',
  key: 'YQ==',
  order: 1,
  type: 'session.closed',
  body: new Uint8Array(3),
  attempts: [],
};
const DUE: TopicPartition = { topic: 'due', partition: 0 };

const DELIVERIES: TopicPartition = { topic: 'deliveries', partition: 0 };

/** One record in one of both logs, in a transaction, or behind another's, that is known to be over from the `looks`-th look on. */
function scanOf(looks: number, where = DUE): CommittedScan & { looks: number } {
  const { key, value, headers } = keptRecord(DELIVERY, 'waiting', 0);
  const left = [true];
  const bytes = Buffer.concat([key!, value!]);
  const place = { bytes, keyStart: 0, keyLength: key!.length, valueStart: key!.length, valueLength: value!.length };
  const record = { ...place, offset: 0, timestamp: 1, hasHeaders: true, headers: () => headers };
  const cursor = { ...record, next: () => left.pop() ?? false } as unknown as RecordCursor;
  return {
    looks: 0,
    bounds({ topic }) {
      if (topic !== where.topic) return Promise.resolve({ logStartOffset: 0, lastStableOffset: 0, highWatermark: 0 });
      this.looks += 1;
      return Promise.resolve({ logStartOffset: 0, lastStableOffset: this.looks < looks ? 0 : 1, highWatermark: 1 });
    },
    read: () => Promise.resolve({ cursor, nextOffset: 1 }),
  };
}

async function restored(scan: CommittedScan, tellKeys: readonly string[]) {
  const clock = new VirtualClock();
  const ended = { isDone: false };
  const done = restore({
    clock,
    scan,
    application: 'shop',
    readState: () => Promise.resolve({ position: 0, entries: () => [] }),
    deliveries: DELIVERIES,
    due: DUE,
    dueFrom: 0,
    tellKeys: new Set(tellKeys),
    end: new AbortController().signal,
  }).finally(() => (ended.isDone = true));
  // Until it is awaited below.
  done.catch(() => undefined);
  for (let turn = 0; turn < 10_000 && !ended.isDone; turn += 1) {
    await clock.pass(10);
  }
  return (await done).kept.get('sink') ?? [];
}

test('[N4] what has left the state by a transaction that is not over yet where it comes out is waited for', async () => {
  const scan = scanOf(5);
  const [found] = await restored(scan, ['sink']);
  expect(found).toMatchObject({ mark: { id: DELIVERY.id, order: 1 }, phase: 'waiting' });
  expect(found?.dueAt).toBeUndefined();
});

test('[N4] where keys are not told apart nothing is waited for', async () => {
  const scan = scanOf(5);
  expect(await restored(scan, [])).toEqual([]);
  expect(scan.looks).toBeLessThan(5);
});

test('[N3][N4] what was kept or dropped behind the open transaction of an operator is waited for', async () => {
  const [found] = await restored(scanOf(5, DELIVERIES), ['sink']);
  expect(found).toMatchObject({ mark: { id: DELIVERY.id, order: 1 }, phase: 'waiting' });
});

test('[X5] a transaction that is never over is told of, with the log that it holds up', async () => {
  await expect(restored(scanOf(Infinity, DELIVERIES), ['sink'])).rejects.toThrow(/deliveries\/0.*below offset 1/);
});
