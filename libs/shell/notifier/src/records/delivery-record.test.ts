import { expect, test } from '@jest/globals';
import { afterStranding } from '@flatline/deliveries';
import type { OutgoingRecord } from '@flatline/ports';
import { DELAY_HEADER, DUE_AT_HEADER } from '@flatline/ports/formats';
import { DELIVERY } from '../delivery.fixture.ts';
import {
  breakerRecord,
  enablingRecord,
  keptRecord,
  keptRecordOf,
  replayedIn,
  replayedMark,
  replayingRecord,
} from './delivery-record.ts';

function headerOf({ headers = [] }: OutgoingRecord, name: string): string | undefined {
  const value = headers.find((each) => each.name === name)?.value;
  return value == null ? undefined : Buffer.from(value).toString();
}

test('[N3] a record is due so long after its append, by the clock that stamps it: of ours it says nothing', () => {
  const open = { kind: 'open', until: 1_000, opened: 1, failingSince: 0 } as const;
  const records = [
    ...[600_000, 4_999.2, 0, -20].map((delayMs) => keptRecord(DELIVERY, 'waiting', delayMs)),
    enablingRecord('sink'),
    breakerRecord('sink', open),
  ];
  const delays = ['600000', '5000', '0', '0', '0', String(100 * 86_400_000)];
  expect(records.map((record) => headerOf(record, DELAY_HEADER))).toEqual(delays);
  expect(records.map((record) => headerOf(record, DUE_AT_HEADER)).every((value) => value === undefined)).toBe(true);
});

test('[N3] what is kept is read back as it was', () => {
  const attempts = [{ at: 1, ms: 2, status: 500, answer: 'why' }];
  const delivery = { ...DELIVERY, attempts };
  const { key, value, headers = [] } = keptRecord(delivery, 'held', 1);
  expect(keptRecordOf(key!, value!, headers)).toEqual({ kind: 'delivery', delivery, phase: 'held' });
});

test('[N6] the mark of a replay is no delivery, and names the offset of what was sent again', () => {
  const { key, value, headers = [] } = replayedMark(DELIVERY, 1_207);
  expect([keptRecordOf(key!, value!, headers).kind, replayedIn(headers)]).toEqual(['other', 1_207]);
  expect(replayedIn(keptRecord(DELIVERY, 'held', 1).headers!)).toBeUndefined();
});

test('[N6] what is sent again after it was stranded may wait for its endpoint as long as at first', () => {
  const attempts = [{ at: 1, ms: 2, status: 500 }];
  const { key, value, headers = [] } = replayingRecord({ ...DELIVERY, attempts, strandedAt: 5 });
  const kept = keptRecordOf(key!, value!, headers);
  expect(kept).toEqual({ kind: 'delivery', delivery: { ...DELIVERY, attempts: [] }, phase: 'waiting' });
  const { delivery } = kept as Extract<typeof kept, { kind: 'delivery' }>;
  expect(afterStranding(delivery, 100 * 86_400_000)).toMatchObject({ kind: 'keep' });
});
