// Records that one request brings together: a JSON array of them.
import { messageOf } from '@flatline/base';
import { Refused } from './refused.ts';
import type { SaidHeaders } from './sent-headers.ts';

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
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** JSON whose numbers keep all their digits. Since Node 22, and not in TypeScript's library yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: (name: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** @throws Refused for what is no list of records */
export function batchIn(body: Uint8Array): readonly BatchRecord[] {
  const found = parsed(body);
  if (!Array.isArray(found)) throw new Refused(400, `a batch is a JSON array: ${SHAPE}`);
  if (found.length > BATCH_RECORDS_MAX)
    throw new Refused(413, `the batch has ${found.length} records, and at most ${BATCH_RECORDS_MAX} are taken`);
  return found.map((each, i) => recordIn(each, `records[${i}]`));
}

function parsed(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return exact.parse(text, (_name, value, { source }) => (typeof value === 'number' ? exact.rawJSON(source) : value));
  } catch (error) {
    throw new Refused(400, `the batch is no JSON: ${messageOf(error)}`);
  }
}

function recordIn(each: unknown, at: string): BatchRecord {
  if (!isObject(each)) throw new Refused(400, `${at} is no object: a batch is ${SHAPE}`);
  const unknown = Object.keys(each).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Refused(400, `${at} has ${unknown}, and there is only ${MEMBERS.join(', ')}`);
  const { key, headers = {}, idempotencyKey } = each;
  if (typeof key !== 'string' || !key.isWellFormed()) throw new Refused(400, `${at}.key is no text`);
  if (!isObject(headers) || Object.values(headers).some((value) => typeof value !== 'string'))
    throw new Refused(400, `${at}.headers is no object whose values are texts`);
  return { key, value: valueIn(each, at), headers: headers as SaidHeaders, idempotencyKey };
}

/** A text as it is, as the SDK sends one; anything else as JSON. Left out: no bytes, a heartbeat. */
function valueIn(each: Readonly<Record<string, unknown>>, at: string): Uint8Array | null {
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
  return Buffer.from(typeof value === 'string' ? value : textOf(value, at));
}

function textOf(value: unknown, at: string): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new Refused(400, `${at}.value cannot be written as JSON: ${messageOf(error)}`);
  }
}

/** No number as `rawJSON` makes them: such an object has no prototype. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
