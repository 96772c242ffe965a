import type { RecordHeader } from '@flatline/ports';
import { CANCEL, COMMAND_HEADER } from '@flatline/ports/formats';
import { type Bad, bad } from '../refusals.ts';
import type { DebounceRules } from './debounce-rules.ts';
import { askedIn } from './item-headers.ts';
import { identifier, IDENTITY_BYTES_MAX } from './item-identity.ts';

/** An item that is not sent yet, or, where the value is null, what a record without one asks of its window. */
export interface WouldBeItem {
  readonly headers: readonly RecordHeader[];
  readonly value: Uint8Array | null;
}

/** Why no window can ever hold the item (B1–B3), short of the size of a whole record. undefined: nothing speaks against it. */
export function unfitItem({ headers, value }: WouldBeItem, { maxBytes, dedupeBy }: DebounceRules): Bad | undefined {
  const asked = askedIn(headers);
  if ('kind' in asked) return asked;
  if (value === null) return undefined;
  if (asked.cancel) return bad('invalid-command', CANCELS);
  if (value.length > maxBytes)
    return bad('item-too-large', `a value of ${value.length} bytes; maxBytes is ${maxBytes}`);
  const span = { bytes: value, start: 0, length: value.length };
  const identity = dedupeBy === undefined ? undefined : identifier(dedupeBy)(headers, span);
  if (identity === undefined || identity.length <= IDENTITY_BYTES_MAX) return undefined;
  return bad('dedupe-value-too-long', longIdentity(identity.length, dedupeBy));
}

export const CANCELS = `what cancels a window (${COMMAND_HEADER}: ${CANCEL}) has no value`;

export function longIdentity(length: number, dedupeBy: string | undefined): string {
  return `dedupeBy finds ${length} bytes at ${dedupeBy}; at most ${IDENTITY_BYTES_MAX} tell items apart`;
}
