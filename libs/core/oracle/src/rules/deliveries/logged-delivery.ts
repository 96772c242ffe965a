// A record of deliveries as the log has it, read by docs/FORMATS.md (Webhooks).
import type { DurationMs, Millis } from '@flatline/base';
import { textOf } from '../../logs/byte-names.ts';
import { crc32c } from '../../logs/crc32c.ts';
import type { LogSource, RawHeader, WholeRecord } from '../../logs/history.ts';

/** With the producer's id and epoch. undefined: it is of no transaction, or the source does not tell. */
export interface WrittenRecord {
  readonly record: WholeRecord;
  readonly writer: string | undefined;
}

export interface LoggedAttempt {
  readonly at: Millis;
  readonly ms: DurationMs;
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

export interface LoggedDelivery {
  readonly endpoint: string;
  readonly id: string;
  /** The output's, in base64. */
  readonly key: string;
  readonly order: number;
  readonly type: string;
  readonly attempts: readonly LoggedAttempt[];
  readonly phase: string;
  readonly strandedAt?: Millis;
}

/** Committed ones, but for those of another application, in the order of the log. */
export async function* writtenIn(source: LogSource<WholeRecord>, application: string): AsyncGenerator<WrittenRecord> {
  for (let part = await source.read(); part !== undefined; part = await source.read()) {
    let at = 0;
    for (const record of part.records) {
      while (at < part.batches.length && part.batches[at]!.lastOffset < record.offset) at += 1;
      const batch = part.batches[at];
      const writer = batch?.transactional === true ? `${batch.producerId}:${batch.producerEpoch}` : undefined;
      if ((headerOf(record, 'application') ?? application) === application) yield { record, writer };
    }
  }
}

/** undefined: it says none that can be read. */
export function deliveryIn(record: WholeRecord): LoggedDelivery | undefined {
  const said = objectIn(headerOf(record, 'delivery'));
  if (said === undefined) return undefined;
  const { endpoint, id, key, order, type, attempts } = said;
  const isText = [endpoint, id, key, type].every((each) => typeof each === 'string');
  return isText && Number.isSafeInteger(order) && Array.isArray(attempts)
    ? (said as unknown as LoggedDelivery)
    : undefined;
}

/** undefined: no JSON object. */
export function objectIn(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const said = JSON.parse(text ?? '') as unknown;
    return typeof said === 'object' && said !== null ? { ...said } : undefined;
  } catch {
    return undefined;
  }
}

export function keyTextOf({ key }: Pick<WholeRecord, 'key'>): string {
  return textOf(key ?? new Uint8Array());
}

/** The last of that name; undefined: none, or it has no value. */
export function headerOf({ headers }: { readonly headers: readonly RawHeader[] }, wanted: string): string | undefined {
  const found = headers.findLast(({ name }) => name === wanted)?.value ?? undefined;
  return found === undefined ? undefined : textOf(found);
}

/** By which a body is told from others. */
export function printOf(body: Uint8Array | null): string {
  return body === null ? 'none' : `${body.length}/${crc32c(body)}`;
}
