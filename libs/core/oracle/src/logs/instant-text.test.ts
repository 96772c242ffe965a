import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instantText } from './instant-text.ts';

test('[V10] an instant is said as ISO 8601 says it, in leap years, too', () => {
  const instants = [
    '1970-01-01T00:00:00.000Z',
    '2000-02-29T23:59:59.999Z',
    '2100-03-01T00:00:00.001Z',
    '2024-12-31T12:00:00.010Z',
  ];
  for (const text of instants) expect(instantText(Date.parse(text))).toBe(text);
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      expect(instantText(date.getTime())).toBe(date.toISOString());
    }),
  );
});
