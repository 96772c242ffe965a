import { expect, test } from '@jest/globals';
import { eventOf } from './output-event.ts';

const VALUE = Buffer.from('{"incarnation":"0-1","state":"CLOSED","reason":"TIMEOUT"}');

function eventAt(timestamp: number): ReturnType<typeof eventOf> {
  const record = { offset: 1, timestamp, key: Buffer.from('a'), value: VALUE, headers: [] };
  return eventOf(record, { pipeline: 'visits', kind: 'session', partition: 0 });
}

test('[N1] an output whose timestamp is no date is none that can be sent, and others are', () => {
  for (const timestamp of [8.64e15 + 1, -8.64e15 - 1, 2 ** 63])
    expect(eventAt(timestamp)).toEqual({ why: `its timestamp, ${timestamp}, is no date` });
  for (const timestamp of [-1, 0, 8.64e15]) expect(eventAt(timestamp)).toMatchObject({ id: 'visits:0-1:0' });
});
