// Recorded histories of sessions.
import { touchedHead } from '@flatline/oracle/anatomy';
import { json, type KindHistories } from '../histories/kind-histories.ts';
import { CLOSES } from './history-mutants/closes.ts';
import { RECORDS } from './history-mutants/records.ts';
import { TOMBSTONES } from './history-mutants/tombstones.ts';
import { SESSION_RULES, sessions } from './session-subjects.ts';

const session = SESSION_RULES;

export const sessionHistories: KindHistories<'session'> = {
  subjects: [{ name: 'sessions', subject: sessions() }],
  changes: [
    { what: 'a longer timeout', subject: sessions(), changed: sessions({ ...session, timeoutMs: 9_000 }) },
    {
      what: 'a shorter timeout',
      subject: sessions(),
      changed: sessions({ ...session, timeoutMs: 2_000, minTimeoutMs: 500 }),
    },
    {
      what: 'a shorter maximum duration, fewer attributes and ids',
      subject: sessions(),
      changed: sessions({ ...session, maxDurationMs: 9_000, maxAttributes: 1, dedupeEventIds: 1 }),
    },
    { what: 'no sources', subject: sessions(), changed: sessions({ ...session, maxSources: 0 }) },
    {
      what: 'no maximum duration',
      subject: sessions({ ...session, maxDurationMs: 6_000 }),
      changed: sessions({ ...session, maxDurationMs: undefined }),
    },
    {
      what: 'deadlines in buckets',
      subject: sessions(),
      changed: sessions({ ...session, bucketMs: 3_000 }),
    },
    {
      what: 'deadlines in other buckets, and then in none, with held time',
      subject: sessions({ ...session, bucketMs: 700, unheardMs: 1_500, maxHoldMs: 60_000 }),
      changed: sessions({ ...session, unheardMs: 1_500, maxHoldMs: 60_000 }),
    },
    {
      what: 'held time',
      subject: sessions(),
      changed: sessions({ ...session, unheardMs: 1_500, maxHoldMs: 60_000 }),
    },
    {
      what: 'more held time of a gap, and less of it in all',
      subject: sessions({ ...session, unheardMs: 1_000, maxHoldMs: 60_000 }),
      changed: sessions({ ...session, unheardMs: 3_000, maxHoldMs: 2_000 }),
    },
    {
      what: 'tombstones that are turned on',
      subject: sessions({ ...session, tombstones: false }),
      changed: sessions(),
    },
    {
      what: 'tombstones that are turned off',
      subject: sessions(),
      changed: sessions({ ...session, tombstones: false }),
    },
  ],
  room: {
    rules: { timestampType: 'CreateTime' },
    first: { value: '' },
    growing: [json({ type: 'CLICK' }), json({ eventId: '1' }), json({ attributes: { a: 'b' } })],
    others: [
      { value: '' },
      json({ sequence: 3 }),
      json({ timeoutMs: 9_000 }),
      json({ type: 'ENDED' }),
      { value: null },
    ],
  },
  mutants: [...CLOSES, ...TOMBSTONES, ...RECORDS],
  hasPages: true,
  touched: touchedHead,
};
