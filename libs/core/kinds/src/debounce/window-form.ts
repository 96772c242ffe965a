// What a window keeps of the items that it takes, and what its batch shows of them (B2, B3). A window goes on as it was opened,
// whatever the configuration has come to say: a number in its head says how.
import { assert } from '@flatline/base';
import type { DebounceRules, Reducer } from './debounce-rules.ts';

export interface WindowForm {
  readonly reducer: Reducer;
  /** Whether the items lie in its state until it fires; otherwise one at most. */
  readonly keepsAll: boolean;
}

/** By number: they stand in changelogs. */
const FORMS: readonly WindowForm[] = [
  { reducer: 'all', keepsAll: true },
  { reducer: 'first', keepsAll: false },
  { reducer: 'last', keepsAll: false },
  { reducer: 'count', keepsAll: false },
  // Which of them are alike is known when the window fires.
  { reducer: 'first', keepsAll: true },
  { reducer: 'last', keepsAll: true },
  { reducer: 'count', keepsAll: true },
  { reducer: 'custom', keepsAll: false },
];

/** The number of the form in which a window opens. */
export function formNumber({ reducer, dedupeBy }: Pick<DebounceRules, 'reducer' | 'dedupeBy'>): number {
  const keepsAll = reducer === 'all' || (dedupeBy !== undefined && reducer !== 'custom');
  return FORMS.findIndex((form) => form.reducer === reducer && form.keepsAll === keepsAll);
}

export const FORMS_COUNT = FORMS.length;

export function formOf(number: number): WindowForm {
  const form = FORMS[number];
  assert(form !== undefined, 'a window has a form', { number });
  return form;
}
