import { expect, test } from '@jest/globals';
import { jsonEvent } from '../../logs/json-event.ts';
import { RULES, sessionFold } from './rules.fixture.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[S10][V4] with fewer attributes than a session has, a name that it holds takes a new value, and no other comes', () => {
  const rules = { ...RULES, maxAttributes: 2 };
  const { fold, sessionOf } = sessionFold(rules);
  const takes = (offset: number, attributes: Readonly<Record<string, string>>): void => {
    const value = bytes(JSON.stringify({ attributes }));
    const place = { offset, timestamp: 1e12 + offset, logAppendTime: true, hasClockHeader: false };
    fold.record({ ...place, key: bytes('k'), value, event: jsonEvent(value) });
  };
  const held = (): unknown => {
    const { attributes, truncated } = sessionOf('k')!;
    return { attributes: [...attributes].map(([name, { value }]) => `${name} ${value}`), truncated };
  };
  takes(0, { a: '1', b: '1' });
  rules.maxAttributes = 1;
  takes(1, { a: '2' });
  expect(held()).toEqual({ attributes: ['a 2', 'b 1'], truncated: false });
  takes(2, { c: '2' });
  expect(held()).toEqual({ attributes: ['a 2', 'b 1'], truncated: true });
});
