import { expect, test } from '@jest/globals';
import { askedBy } from './lease-request.ts';

const utf8 = new TextEncoder();
const asking = (fields: object): Parameters<typeof askedBy>[0] => ({
  offset: 0,
  timestamp: 0,
  key: utf8.encode('k'),
  value: utf8.encode(JSON.stringify(fields)),
  event: 'bad',
  hasClockHeader: false,
  logAppendTime: true,
});

test.each([{ source: 7 }, { source: { app: 'x' } }, { source: '' }, { source: 'web' }])(
  '[L3] a request for a lease knows no source, so %j is one',
  (fields) => {
    expect(askedBy(asking({ ...fields, type: 'STARTED', timeoutMs: 9 }))).toMatchObject({
      does: 'start',
      timeoutMs: 9,
    });
  },
);
