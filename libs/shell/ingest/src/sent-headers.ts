// Headers of a request, or of a record in a batch, that become the record's.
import { isUtf8 } from 'node:buffer';
import type { RecordHeader } from '@flatline/ports';
import { OWN_HEADERS } from '@flatline/ports/formats';
import { Refused } from './refused.ts';

/** Values as node:http gives them: several of one name are one text. */
export type SaidHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Characters of an `Idempotency-Key`. */
const IDEMPOTENCY_KEY_MAX = 256;
export const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * `encoding`: of the texts; what HTTP brings is bytes, each shown as a character.
 * @throws Refused for one that begins as Flatline's own do and is none that `known` names
 */
export function headersOf(
  said: SaidHeaders,
  known: readonly string[] | undefined,
  encoding: 'latin1' | 'utf8',
): RecordHeader[] {
  if (known === undefined) return [];
  for (const name of Object.keys(said))
    if (name.toLowerCase().startsWith(OWN_HEADERS) && !known.includes(name.toLowerCase()))
      throw new Refused(400, `there is no header ${name}: it is one of ${known.join(', ')}`);
  const values = new Map(Object.entries(said).map(([name, value]) => [name.toLowerCase(), value]));
  return known.flatMap((name) => {
    const value = values.get(name.toLowerCase());
    return value === undefined ? [] : [{ name, value: Buffer.from([value].flat().join(', '), encoding) }];
  });
}

/** Reads the key from a header: HTTP brings bytes, each shown as a character. They are UTF-8, or, of older senders, the characters themselves. */
export function idempotencyKeyIn(said: string | readonly string[] | undefined): string | undefined {
  const shown = said === undefined ? undefined : [said].flat().join(', ');
  const bytes = Buffer.from(shown ?? '', 'latin1');
  return idempotencyKeyOf(shown !== undefined && isUtf8(bytes) ? bytes.toString() : shown);
}

/** Reads the key of a record of a batch, or of the batch with the record's number. @throws Refused for one that is too long, empty, or half a character */
export function idempotencyKeyOf(said: unknown): string | undefined {
  if (said === undefined) return undefined;
  if (typeof said === 'string' && said !== '' && said.length <= IDEMPOTENCY_KEY_MAX && said.isWellFormed()) return said;
  const problem = `an idempotency key is a text of 1 to ${IDEMPOTENCY_KEY_MAX} whole characters, that of a batch with / and the record's number`;
  throw new Refused(400, problem);
}
