// A webhook's event of an output: its body, its id, and the names by which an endpoint asks for it (`on`).
import { INSTANT_MAX, type KindName } from '@flatline/base';
import { kindOf } from '@flatline/config';
import { receiptIn } from '@flatline/records/runs';
import type { RawRecord } from './raw-record.ts';

export interface OutputEvent {
  /** The output's own, for good (N1): no dots, by which a signature's parts are told apart, and nothing of a key. */
  readonly id: string;
  readonly type: string;
  /** Reasons and types, as the output says them. */
  readonly names: readonly string[];
  readonly body: Uint8Array;
}

export interface EventPlace {
  readonly pipeline: string;
  readonly kind: KindName;
  readonly partition: number;
}

type Named = Pick<OutputEvent, 'type' | 'names'> & { readonly id: readonly (string | number)[] };

/** `none`: a tombstone or a receipt, which is not delivered. A text: why it cannot be read. */
export function eventOf(record: RawRecord, place: EventPlace): OutputEvent | 'none' | { readonly why: string } {
  const { value, headers, key } = record;
  if (value === null || key === null || receiptIn(headers) !== undefined) return 'none';
  if (Math.abs(record.timestamp) > INSTANT_MAX) return { why: `its timestamp, ${record.timestamp}, is no date` };
  const read = kindOf(place).asJson({ key, value, headers });
  if (typeof read === 'string') return { why: read };
  const named = nameIn(read.fields, place.kind, `${place.partition}-${record.offset}`);
  if (named === undefined) return { why: `it is no output of a pipeline of kind "${place.kind}"` };
  const { type, names } = named;
  const timestamp = new Date(record.timestamp).toISOString();
  const body = Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${read.text}}`);
  // A pipeline's name has neither dot nor colon.
  const id = [place.pipeline, ...named.id].join(':');
  return { id, type, names: [...names, type], body };
}

/** `lies`: its place, where nothing else names it. */
function nameIn(fields: Readonly<Record<string, unknown>>, kind: KindName, lies: string): Named | undefined {
  const { nameOf, idOf = () => [lies] } = kindOf({ kind }).said;
  const [name, id] = [nameOf(fields), idOf(fields)];
  return name && id && { ...name, id };
}
