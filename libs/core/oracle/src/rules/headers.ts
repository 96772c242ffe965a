// Headers of a record, by name and as text.
import { textOf } from '../logs/byte-names.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { RawHeader } from '../logs/history.ts';

/** The first of that name; undefined: there is none, or it has no value. */
export function headerText(headers: readonly RawHeader[], wanted: string): string | undefined {
  const found = headers.find(({ name }) => name === wanted);
  return found === undefined || found.value === null ? undefined : textOf(found.value);
}

/** That its header names another incarnation than `expected`; undefined: there must be none. */
export function incarnationFaults({ incarnation }: OutputRecord, expected: string | undefined): string[] {
  if (incarnation === expected) return [];
  return [`its header names ${incarnation ?? 'no incarnation'}, its value ${expected ?? 'none'}`];
}
