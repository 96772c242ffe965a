// The value an imported record gets: a JSON event (`schemas/session-event.avsc`) made of the fields of its line.
import type { SourceRecord } from './source-record.ts';

/** `empty`: a bare heartbeat, the cheapest record there is. `event`: the fields of the line as a JSON event. */
export type ImportValue = 'empty' | 'event';

/** Which fields of a line are the event's own, and what they must be to be taken for them. */
const ownFields: Readonly<Record<string, (value: unknown) => unknown>> = {
  type: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  eventId: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
  sequence: nonNegativeInteger,
  timeoutMs: nonNegativeInteger,
};
const utf8 = new TextEncoder();
const emptyValue = new Uint8Array(0);

/** The bytes of the value. `occurredAt` is left out: the record's own timestamp says it. */
export function importedValue(record: SourceRecord, value: ImportValue): Uint8Array {
  if (value === 'empty') return emptyValue;
  const event: [string, unknown][] = [];
  const attributes: [string, string][] = [];
  for (const [name, field] of record.fields) {
    const own = Object.hasOwn(ownFields, name) ? ownFields[name]!(field) : undefined;
    if (own !== undefined) event.push([name, own]);
    else if (name === 'attributes' && isObject(field)) attributes.push(...Object.entries(field).map(asAttribute));
    else if (field !== null && field !== undefined && field !== '') attributes.push(asAttribute([name, field]));
  }
  // fromEntries defines `__proto__` as an own property; an assignment would set the prototype and lose it.
  if (attributes.length > 0) event.push(['attributes', Object.fromEntries(attributes)]);
  return utf8.encode(JSON.stringify(Object.fromEntries(event)));
}

/** Nested values keep their content as JSON text: attributes are texts. */
function asAttribute([name, field]: [string, unknown]): [string, string] {
  return [name, typeof field === 'string' ? field : JSON.stringify(field)];
}

function isObject(field: unknown): field is object {
  return typeof field === 'object' && field !== null && !Array.isArray(field);
}

function nonNegativeInteger(value: unknown): number | undefined {
  // CSV has texts only.
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}
