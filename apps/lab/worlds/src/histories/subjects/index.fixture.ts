// What histories are recorded of: each kind at least once, or the compiler names the one that lacks.
import type { RulesByKind } from '@flatline/oracle';
import { windows } from './debounce.fixture.ts';
import { leases } from './lease.fixture.ts';
import { schedules } from './schedule.fixture.ts';
import { sessions } from './session.fixture.ts';
import type { Subject } from './subject.fixture.ts';

export interface NamedSubject {
  readonly name: string;
  readonly subject: Subject;
}

/** Mutants are made of the first of each kind. */
export const SUBJECTS: { readonly [Kind in keyof RulesByKind]: readonly NamedSubject[] } = {
  session: [{ name: 'sessions', subject: sessions() }],
  lease: [
    { name: 'leases that are queued for', subject: leases() },
    {
      name: 'leases that are refused, with a lock delay',
      subject: leases({ onConflict: 'reject', lockDelayMs: 1_500 }),
    },
    { name: 'leases that are replaced, in buckets', subject: leases({ onConflict: 'replace', bucketMs: 400 }) },
  ],
  debounce: [
    { name: 'windows after silence', subject: windows() },
    { name: 'windows at a fixed pace, in parts', subject: windows({ mode: 'window', onOversize: 'split' }) },
    { name: 'windows of which the last is shown', subject: windows({ reducer: 'last', maxItems: 5 }) },
    { name: 'windows without duplicates', subject: windows({ dedupeBy: '/n', maxItems: 7 }) },
    { name: 'windows led by an item', subject: windows({ mode: 'leading', maxItems: 7 }) },
  ],
  schedule: [
    { name: 'schedules, all runs made up for', subject: schedules() },
    { name: 'schedules, the latest run made up for', subject: schedules({ missed: 'once', receipts: 'errors' }) },
    { name: 'schedules, no run made up for', subject: schedules({ missed: 'skip', receipts: 'none' }) },
  ],
};
