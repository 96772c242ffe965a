import { expect, test } from '@jest/globals';
import { RefusalLog } from './refusal-log.ts';
import { traceOf } from './trace-of.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const header = (value: string | null) => [
  { name: 'other', value: Buffer.from('x') },
  { name: 'traceparent', value: value === null ? null : Buffer.from(value) },
];

test.each([
  [`00-${TRACE}-00f067aa0ba902b7-01`, TRACE],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-0000000000000000-01`, undefined],
  [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-00f067aa0ba902b7-0\n`, undefined],
  ['', undefined],
  [null, undefined],
])('[I1] traceparent %j names the trace %s', (value, trace) => {
  expect(traceOf(header(value))).toBe(trace);
});

test('[I1] the line of refused records names the trace of the first, and none where its producer sent none', () => {
  const said: unknown[] = [];
  const warn = (_: string, fields?: object): void => void said.push(fields);
  const log = new RefusalLog({ info: () => undefined, warn, error: () => undefined }, { topic: 'in', partition: 0 });
  const letter = { detail: 'd', input: 0, timestamp: 0, key: null, value: null } as const;
  log.committed(
    [
      { ...letter, reason: 'null-key', offset: 1, headers: header(`00-${TRACE}-00f067aa0ba902b7-01`) },
      { ...letter, reason: 'null-key', offset: 2, headers: [] },
      { ...letter, reason: 'invalid-json', offset: 3, headers: [] },
    ],
    0,
  );
  expect(said).toEqual([
    { topic: 'in', partition: 0, offset: 1, detail: 'd', records: 2, traceId: TRACE },
    { topic: 'in', partition: 0, offset: 3, detail: 'd', records: 1 },
  ]);
});
