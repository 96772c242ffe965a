// Records that one request brings together: a JSON array of them.
import { messageOf } from '@flatline/base';
import { Refused } from './refused.ts';
import type { SaidHeaders } from './sent-headers.ts';
import { DEPTH_MAX, type Span, valueSpans } from './value-spans.ts';

/** Records of one request. */
const BATCH_RECORDS_MAX = 1_000;
/** Bytes of one request's body: half of what may wait for the brokers (input-writer.ts). */
export const BATCH_BYTES_MAX = 4_000_000;

export interface BatchRecord {
  readonly key: string;
  /** null: an end, a cancel. */
  readonly value: Uint8Array | null;
  readonly headers: SaidHeaders;
  readonly idempotencyKey: unknown;
}

const MEMBERS = ['key', 'value', 'valueBase64', 'delete', 'headers', 'idempotencyKey'];
const SHAPE = `[{"key": "…", "value": …}], and perhaps "valueBase64" or "delete": true instead of "value", "headers", "idempotencyKey"`;
const QUOTE = 0x22;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A value that is no text, as it stands in the body. */
type JsonOf = () => Uint8Array;

/** @throws Refused for what is no list of records, and for a value beyond `eventBytesMax` */
export function batchIn(body: Buffer, eventBytesMax: number): readonly BatchRecord[] {
  const spans = valueSpans(body);
  if (spans === undefined) throw new Refused(400, `the batch is no JSON that is taken: it nests beyond ${DEPTH_MAX}`);
  // Before anything is made of it.
  for (const [i, { from, to }] of spans) if (body[from] !== QUOTE) requireSize(to - from, eventBytesMax, i);
  const found = parsed(body);
  if (!Array.isArray(found)) throw new Refused(400, `a batch is a JSON array: ${SHAPE}`);
  if (found.length > BATCH_RECORDS_MAX)
    throw new Refused(413, `the batch has ${found.length} records, and at most ${BATCH_RECORDS_MAX} are taken`);
  return found.map((each, i) => {
    const record = recordIn(each, `records[${i}]`, () => sliceOf(body, spans.get(i)!));
    requireSize(record.value?.length ?? 0, eventBytesMax, i);
    return record;
  });
}

function parsed(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(400, `the batch is no JSON: ${messageOf(error)}`);
  }
}

function requireSize(bytes: number, eventBytesMax: number, i: number): void {
  if (bytes <= eventBytesMax) return;
  const problem = `the value has ${bytes} bytes, and at most ${eventBytesMax} are taken (ingest.maxEventBytes)`;
  throw new Refused(413, `records[${i}]: ${problem}; none of the batch was written`);
}

/** Copied: a record that waits for the brokers keeps no other's bytes. */
function sliceOf(body: Buffer, { from, to }: Span): Uint8Array {
  return Buffer.from(body.subarray(from, to));
}

function recordIn(each: unknown, at: string, jsonOf: JsonOf): BatchRecord {
  if (!isObject(each)) throw new Refused(400, `${at} is no object: a batch is ${SHAPE}`);
  const unknown = Object.keys(each).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Refused(400, `${at} has ${unknown}, and there is only ${MEMBERS.join(', ')}`);
  const { key, headers = {}, idempotencyKey } = each;
  if (typeof key !== 'string' || !key.isWellFormed()) throw new Refused(400, `${at}.key is no text`);
  if (!isObject(headers) || Object.values(headers).some((value) => typeof value !== 'string'))
    throw new Refused(400, `${at}.headers is no object whose values are texts`);
  return { key, value: valueIn(each, at, jsonOf), headers: headers as SaidHeaders, idempotencyKey };
}

/** A text as it is, as the SDK sends one; anything else as the JSON that was sent. Left out: no bytes, a heartbeat. */
function valueIn(each: Readonly<Record<string, unknown>>, at: string, jsonOf: JsonOf): Uint8Array | null {
  const said = ['value', 'valueBase64', 'delete'].filter((name) => each[name] !== undefined);
  if (said.length > 1) throw new Refused(400, `${at} has both ${said.join(' and ')}: one of them is the value`);
  const { value, valueBase64, delete: deletes } = each;
  if (deletes !== undefined) {
    if (deletes === true) return null;
    throw new Refused(400, `${at}.delete is neither true nor left out`);
  }
  if (valueBase64 !== undefined) {
    if (typeof valueBase64 === 'string' && BASE64.test(valueBase64)) return Buffer.from(valueBase64, 'base64');
    throw new Refused(400, `${at}.valueBase64 is no base64`);
  }
  if (value === null)
    throw new Refused(400, `${at}.value is null: "delete": true ends or cancels; JSON's null is the text "null"`);
  if (value === undefined) return Buffer.alloc(0);
  return typeof value === 'string' ? Buffer.from(value) : jsonOf();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
