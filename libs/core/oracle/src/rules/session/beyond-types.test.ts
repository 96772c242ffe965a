import { expect, test } from '@jest/globals';
import { blankReach } from '../../judge/reach.ts';
import { jsonEvent } from '../../logs/json-event.ts';
import { NaiveFold } from './naive-fold.ts';
import { RULES } from './rules.fixture.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[S10] a 33rd type is beyond the others whatever its name: truncated, also where it is OTHER', () => {
  const fold = new NaiveFold(0, RULES, blankReach());
  const types = [...Array.from({ length: 32 }, (_, i) => `TYPE-${i}`), 'OTHER'];
  const truncatedAfter = types.map((type, offset) => {
    const value = bytes(JSON.stringify({ type }));
    const place = { offset, timestamp: 1e12 + offset, logAppendTime: true, hasClockHeader: false };
    fold.record({ ...place, key: bytes('k'), value, event: jsonEvent(value) });
    return [...fold.open.values()][0]!.truncated;
  });
  expect(truncatedAfter.indexOf(true)).toBe(32);
});
