// A webhook's event of an output: its body, its id, and the names by which an endpoint asks for it (`on`).
import { INSTANT_MAX, type KindName } from '@flatline/base';
import { kindOf } from '@flatline/config';
import { receiptIn, runIn, type ReceivedRun } from '@flatline/records/runs';
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

type Said = Pick<OutputEvent, 'type' | 'names'> & { readonly id: readonly (string | number)[]; readonly data: string };
type Value = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `none`: a tombstone or a receipt, which is not delivered. A text: why it cannot be read. */
export function eventOf(record: RawRecord, place: EventPlace): OutputEvent | 'none' | { readonly why: string } {
  const { value, headers, key } = record;
  if (value === null || key === null || receiptIn(headers) !== undefined) return 'none';
  if (Math.abs(record.timestamp) > INSTANT_MAX) return { why: `its timestamp, ${record.timestamp}, is no date` };
  const said = place.kind === 'schedule' ? ofRun(value, record) : ofValue(value, record, place);
  if (typeof said === 'string') return { why: said };
  const { type, names, data } = said;
  const timestamp = new Date(record.timestamp).toISOString();
  const body = Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${data}}`);
  // A pipeline's name has neither dot nor colon.
  const id = [place.pipeline, ...said.id].join(':');
  return { id, type, names: [...names, type], body };
}

function ofValue(bytes: Uint8Array, record: RawRecord, place: EventPlace): Said | string {
  let data: string;
  let value: unknown;
  try {
    data = utf8.decode(bytes);
    value = JSON.parse(data);
  } catch {
    return 'its value is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'its value is no JSON object';
  const said = nameIn(value as Value, place.kind, `${place.partition}-${record.offset}`);
  return said === undefined ? `it is no output of a pipeline of kind "${place.kind}"` : { ...said, data };
}

/** `lies`: its place, where nothing else names it. */
function nameIn(fields: Value, kind: KindName, lies: string): Omit<Said, 'data'> | undefined {
  const { nameOf, idOf = () => [lies] } = kindOf({ kind }).said;
  const [name, id] = [nameOf(fields), idOf(fields)];
  return name && id && { ...name, id };
}

function ofRun(value: Uint8Array, { key, headers }: RawRecord): Said | string {
  const run = runIn(value, headers);
  if (run === undefined) return 'no headers name schedule, run and due instant';
  const { schedule, scheduleId, number, last, dueAt, missed, tz } = run;
  const said = { schedule, scheduleId, run: number, last, dueAt, missed, tz, key: textOf(key!) };
  const around = JSON.stringify(said).slice(0, -1);
  return {
    ...nameIn(said, 'schedule', '')!,
    data: `${around},"headers":${headersOf(run)},${messageOf(value)}}`,
  };
}

/** The message as JSON if it is JSON, else as text, else in base64, each under a name of its own. */
function messageOf(value: Uint8Array): string {
  const text = textOf(value);
  if (typeof text !== 'string') return `"valueBase64":${JSON.stringify(text.base64)}`;
  try {
    JSON.parse(text);
    return `"value":${text}`;
  } catch {
    return `"valueText":${JSON.stringify(text)}`;
  }
}

function headersOf({ headers }: ReceivedRun): string {
  return JSON.stringify(headers.map(({ name, value }) => [name, value && textOf(value)]));
}

function textOf(bytes: Uint8Array): string | { readonly base64: string } {
  try {
    return utf8.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
