// All mutants, by kind: none without some, or the compiler names it.
import type { RulesByKind } from '@flatline/oracle';
import { COMMITS } from './commits.fixture.ts';
import { BATCHES } from './debounce/batches.fixture.ts';
import { WINDOWS } from './debounce/windows.fixture.ts';
import { ANSWERS } from './lease/answers.fixture.ts';
import { LEASES } from './lease/leases.fixture.ts';
import { LETTERS } from './letters.fixture.ts';
import type { Mutant } from './mutant.fixture.ts';
import { OPERATIONS } from './operations.fixture.ts';
import { RUNS } from './schedule/runs.fixture.ts';
import { SCHEDULES } from './schedule/schedules.fixture.ts';
import { CLOSES } from './session/closes.fixture.ts';
import { RECORDS } from './session/records.fixture.ts';
import { TOMBSTONES } from './session/tombstones.fixture.ts';
import { TRANSACTIONS } from './transactions.fixture.ts';

const ANY_KIND = [...COMMITS, ...TRANSACTIONS, ...OPERATIONS, ...LETTERS];

export const MUTANTS: { readonly [Kind in keyof RulesByKind]: readonly Mutant[] } = {
  session: [...ANY_KIND, ...CLOSES, ...TOMBSTONES, ...RECORDS],
  lease: [...ANY_KIND, ...ANSWERS, ...LEASES],
  debounce: [...ANY_KIND, ...BATCHES, ...WINDOWS],
  schedule: [...ANY_KIND, ...RUNS, ...SCHEDULES],
};
