import { expect, test } from '@jest/globals';
import { jsonEvent } from '../../logs/json-event.ts';
import { sessionFold } from './rules.fixture.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[S10] a 33rd type is one too many whatever its name: truncated, also where it is OTHER', () => {
  const { fold, sessionOf } = sessionFold();
  const types = [...Array.from({ length: 32 }, (_, i) => `TYPE-${i}`), 'OTHER'];
  const truncatedAfter = types.map((type, offset) => {
    const value = bytes(JSON.stringify({ type }));
    const place = { offset, timestamp: 1e12 + offset, logAppendTime: true, hasClockHeader: false };
    fold.record({ ...place, key: bytes('k'), value, event: jsonEvent(value) });
    return sessionOf('k')!.truncated;
  });
  expect(truncatedAfter.indexOf(true)).toBe(32);
});
