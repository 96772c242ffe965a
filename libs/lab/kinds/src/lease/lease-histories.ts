// Recorded histories of leases.
import { touchedLease } from '@flatline/oracle/anatomy';
import { json, type KindHistories } from '../histories/kind-histories.ts';
import { ANSWERS } from './history-mutants/answers.ts';
import { LEASES } from './history-mutants/leases.ts';
import { leases } from './lease-subjects.ts';

const STARTED = { type: 'STARTED', timeoutMs: 30_000 };
const TOKEN = { 'flatline-token': String(3 * 2 ** 40 + 1) };

export const leaseHistories: KindHistories<'lease'> = {
  subjects: [
    { name: 'leases that are queued for', subject: leases() },
    {
      name: 'leases that are refused, with a lock delay',
      subject: leases({ onConflict: 'reject', lockDelayMs: 1_500 }),
    },
    { name: 'leases that are replaced, in buckets', subject: leases({ onConflict: 'replace', bucketMs: 400 }) },
  ],
  changes: [
    {
      what: 'another timeout and epoch of tokens',
      subject: leases(),
      changed: leases({ timeoutMs: 2_000, tokenEpoch: 4 }),
    },
    { what: 'a lock delay', subject: leases(), changed: leases({ onConflict: 'reject', lockDelayMs: 1_500 }) },
    {
      what: 'replacing',
      subject: leases(),
      changed: leases({ onConflict: 'replace', bucketMs: 400, maxDurationMs: 6_000 }),
    },
  ],
  room: {
    rules: { timestampType: 'CreateTime' },
    first: json(STARTED),
    growing: [json({ ...STARTED, waitMs: 9_000 })],
    others: [
      { value: '', headers: TOKEN },
      json(STARTED, TOKEN),
      json({ type: 'ENDED' }, TOKEN),
      { value: '', headers: { 'flatline-token': '1' } },
      { value: null },
    ],
  },
  mutants: [...ANSWERS, ...LEASES],
  hasPages: true,
  touched: touchedLease,
};
