// Form of a window: what it keeps of the items that it takes, and what its batch shows of them (B2, B3). A window goes on as it
// was opened, whatever the configuration says by now: a number in its head gives the form.
import { assert } from '@flatline/base';
import type { DebounceRules, Reducer } from './debounce-rules.ts';

export interface WindowForm {
  readonly reducer: Reducer;
  /** True if the items lie in its state until it fires; otherwise at most one does. */
  readonly keepsAll: boolean;
  /** Format of the output by which its items were weighed (`DebouncedBatchEncoder.weighing`). */
  readonly weighing: number;
}

type KeptForm = Omit<WindowForm, 'weighing'>;

/** By number: they stand in changelogs. */
const FORMS: readonly KeptForm[] = [
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

/** The number of the form in which a window opens: that of a weighing is so many times the number of all before it. */
export function formNumber(
  { reducer, dedupeBy }: Pick<DebounceRules, 'reducer' | 'dedupeBy'>,
  weighing: number,
): number {
  const keepsAll = reducer === 'all' || (dedupeBy !== undefined && reducer !== 'custom');
  const kept = FORMS.findIndex((form) => form.reducer === reducer && form.keepsAll === keepsAll);
  return weighing * FORMS.length + kept;
}

/** Two weighings: JSON and Avro. */
const NUMBERED: readonly WindowForm[] = [0, 1].flatMap((weighing) => FORMS.map((form) => ({ ...form, weighing })));

export const FORM_NUMBERS = NUMBERED.length;

export function formOf(number: number): WindowForm {
  const form = NUMBERED[number];
  assert(form !== undefined, 'a window has a form', { number });
  return form;
}
