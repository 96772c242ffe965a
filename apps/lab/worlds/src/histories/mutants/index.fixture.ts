// All mutants of a kind: the general ones, those of its pages, and its own.
import type { KindName } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import type { HistoryMutant } from '@flatline/lab-kinds/histories';
import { COMMITS } from './commits.fixture.ts';
import { LETTERS } from './letters.fixture.ts';
import { OPERATIONS } from './operations.fixture.ts';
import { PAGES } from './pages.fixture.ts';
import { TRANSACTIONS } from './transactions.fixture.ts';

/** They assume nothing of an entry but a key and a head. */
export const ANY_KIND: readonly HistoryMutant[] = [...COMMITS, ...TRANSACTIONS, ...OPERATIONS, ...LETTERS];

export function mutantsOf(kind: KindName): readonly HistoryMutant[] {
  const { hasPages, mutants } = KIND_LABS[kind].histories;
  return [...ANY_KIND, ...(hasPages ? PAGES : []), ...mutants];
}
