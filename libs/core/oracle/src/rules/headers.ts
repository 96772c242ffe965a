// Reads headers of a record by name, as text.
import { textOf } from '../logs/byte-names.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { RawHeader } from '../logs/history.ts';

/** The first of that name; undefined: none, or it has no value. */
export function headerText(headers: readonly RawHeader[], wanted: string): string | undefined {
  const found = headers.find(({ name }) => name === wanted);
  return found === undefined || found.value === null ? undefined : textOf(found.value);
}

/** Reports a header that names another incarnation than `expected`; undefined: there must be none. */
export function incarnationFaults({ incarnation }: OutputRecord, expected: string | undefined): string[] {
  if (incarnation === expected) return [];
  return [`its header names ${incarnation ?? 'no incarnation'}, its value ${expected ?? 'none'}`];
}
