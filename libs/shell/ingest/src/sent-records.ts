// Turns a request into the record that is written.
import type { Millis } from '@flatline/base';
import type { IngestInput, Sent } from './ingest-input.ts';
import type { InputWriter, SentRecord } from './input-writer.ts';
import { Refused } from './refused.ts';

export interface Destination {
  readonly pipeline: string;
  readonly input: IngestInput;
  readonly writer: InputWriter;
}

/** By pipeline; a text: why it takes nothing. */
export type Writers = ReadonlyMap<string, Destination | string>;

export interface NamedRecord {
  readonly destination: Destination;
  readonly record: SentRecord;
  readonly idempotencyKey: string | undefined;
}

/** @throws Refused where there is none, or where it takes nothing */
export function destinationOf(pipeline: string, writers: Writers): Destination {
  const found = writers.get(pipeline);
  if (found === undefined) throw new Refused(404, `no pipeline ${pipeline} takes records over HTTP`);
  if (typeof found === 'string') throw new Refused(400, `${pipeline} takes no records over HTTP: ${found}`);
  return found;
}

/** @throws Refused for what the pipeline would make a dead letter */
export function namedRecordOf(destination: Destination, key: string, sent: Sent, now: Millis): NamedRecord {
  const { keyBytesMax } = destination.input;
  const bytes = Buffer.from(key);
  if (bytes.length === 0 || bytes.length > keyBytesMax)
    throw new Refused(400, `a key has 1 to ${keyBytesMax} bytes (maxKeyBytes), this one ${bytes.length}`);
  const record = destination.input.recordOf(sent, now);
  if (typeof record === 'string') throw new Refused(400, record);
  return { destination, record: { key: bytes, ...record }, idempotencyKey: sent.idempotencyKey };
}
