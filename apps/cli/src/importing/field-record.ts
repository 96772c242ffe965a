// From named fields (a JSON object, a CSV row) to a source record.
import { parseFieldTime } from './field-time.ts';
import { badLine, type LineParser, type ParsedLine } from './source-record.ts';

export interface FieldNames {
  readonly key: string;
  readonly time: string;
}

/** Takes key and time out of the fields; the rest stays for the value. */
export function recordOfFields(fields: Map<string, unknown>, names: FieldNames): ParsedLine {
  const key = keyText(fields.get(names.key));
  if (key === undefined) return badLine(`has no key: field '${names.key}' is missing, empty or not a text or number`);
  if (!fields.has(names.time)) return badLine(`has no time: field '${names.time}' is missing`);
  const time = parseFieldTime(fields.get(names.time));
  if (typeof time !== 'number') return badLine(`has no valid time: field '${names.time}' ${time.reason}`);
  fields.delete(names.key);
  fields.delete(names.time);
  return { kind: 'record', record: { key, timestamp: time, fields } };
}

/** A parser of JSON lines: one object per line. */
export function jsonLineParser(names: FieldNames): LineParser {
  return (line) => {
    const parsed = parseJson(line);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return badLine('is not a JSON object');
    return recordOfFields(new Map(Object.entries(parsed)), names);
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // not an object either, and reported as such
  }
}

function keyText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
