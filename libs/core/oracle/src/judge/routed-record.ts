// How a record that was routed (P3) is told from others: by its place in its commit, and by what it says.
import { textOf } from '../logs/byte-names.ts';
import type { RoutedRecord, RouteOrigin } from '../logs/history.ts';
import type { ExpectedRoute } from '../rules/routes/naive-routes.ts';

/** The commit whose outputs are looked at. */
export interface RoutedCommit {
  /** undefined: nothing that it has routed was found yet. */
  sequence: number | undefined;
  /** Number of its next routed record; the least that it may be where `isOpen`. */
  number: number;
  /** A function that is not at hand has seen outputs of it: what it has routed lies among the rest, and is not known. */
  isOpen: boolean;
}

/** Above 0: it comes later than the commit's next record, which is then not there. Below 0: that comes before it. */
export function orderOf({ commit, number }: RouteOrigin, next: RoutedCommit): number {
  // With an unknown commit only the number is known, and the order in which all lie.
  if (next.sequence === undefined) return next.isOpen || number === next.number ? 0 : 1;
  return commit - next.sequence || (next.isOpen ? 0 : number - next.number);
}

export function isAgain(origin: RouteOrigin, last: RouteOrigin | undefined): boolean {
  if (last === undefined) return false;
  return origin.commit < last.commit || (origin.commit === last.commit && origin.number <= last.number);
}

/** undefined: it is as expected, but for the header that says where it is from. */
export function faultOf({ key, value, headers }: RoutedRecord, expected: ExpectedRoute): string | undefined {
  if (!isSame(key, expected.key))
    return `its key is ${key === null ? 'null' : textOf(key)}, not ${textOf(expected.key)}`;
  if (!isSame(value, expected.value)) return 'its value';
  const own = headers.slice(0, -1);
  const isEqual =
    own.length === expected.headers.length &&
    own.every(({ name, value: of }, i) => name === expected.headers[i]!.name && isSame(of, expected.headers[i]!.value));
  return isEqual ? undefined : 'its headers';
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function isBeginning(kept: Uint8Array | null, whole: Uint8Array | null): boolean {
  if (kept === null || whole === null) return kept === whole;
  return kept.length <= whole.length && kept.every((byte, at) => byte === whole[at]);
}

export function keyIn(key: Uint8Array | null): { readonly key?: string } {
  return key === null ? {} : { key: textOf(key) };
}
