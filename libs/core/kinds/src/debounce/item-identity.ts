// Identities that tell which items of a window are alike (B2): a header, or the target of a JSON pointer (RFC 6901) in the value.
import { utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';

/** Place of an item's value. */
export interface ValueSpan {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** undefined: the item has nothing of the kind, and is like no other. */
export type Identify = (headers: readonly RecordHeader[], value: ValueSpan) => Uint8Array | undefined;

/** Bytes of the longest: each is kept with its item. */
export const IDENTITY_BYTES_MAX = 256;

const utf8Reader = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** `dedupeBy`: a JSON pointer begins with a slash, and is nothing else than that a header's name. */
export function identifier(dedupeBy: string): Identify {
  if (!dedupeBy.startsWith('/'))
    return (headers) => headers.findLast(({ name }) => name === dedupeBy)?.value ?? undefined;
  const path = dedupeBy
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (_headers, value) => identityAt(path, value);
}

/** A text, a number or a boolean as JSON has it. Integers beyond 2^53 − 1 are rounded when they are read: they are like no other. */
function identityAt(path: readonly string[], value: ValueSpan): Uint8Array | undefined {
  const found = path.reduce(memberOf, parsed(value));
  if (typeof found === 'number' && !Number.isSafeInteger(found)) return undefined;
  if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean') return undefined;
  return utf8Of(JSON.stringify(found));
}

function memberOf(of: unknown, token: string): unknown {
  if (Array.isArray(of)) return INDEX.test(token) ? (of[Number(token)] as unknown) : undefined;
  if (typeof of !== 'object' || of === null || !Object.hasOwn(of, token)) return undefined;
  return (of as Readonly<Record<string, unknown>>)[token];
}

/** undefined where it is no JSON. */
function parsed({ bytes, start, length }: ValueSpan): unknown {
  try {
    return JSON.parse(utf8Reader.decode(bytes.subarray(start, start + length)));
  } catch {
    return undefined; // that is the answer
  }
}
