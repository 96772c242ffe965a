// Values of a declared type as JSON: members in the order of the schema, entries of maps in that of their keys.
import type { DeclaredType } from './declared-type.ts';
import { formOf } from './declared-type.ts';

/** `value` is of the type: it was read from its bytes. */
export function asJson(type: DeclaredType, value: unknown): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'bytes':
      return JSON.stringify(base64(value as Uint8Array));
    case 'array':
      return `[${(value as readonly unknown[]).map((each) => asJson(type.items, each)).join()}]`;
    case 'map':
      return `{${Object.entries(value as object)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, each]) => `${JSON.stringify(name)}:${asJson(type.items, each)}`)
        .join()}}`;
    case 'union': {
      const form = value === null ? 'null' : formOfRead(value);
      return asJson(
        type.branches.find((branch) => formOf(branch) === form)!,
        value,
      );
    }
    case 'record':
      return `{${type.fields
        .map(({ name, type: of }) => `"${name}":${asJson(of, (value as Readonly<Record<string, unknown>>)[name])}`)
        .join()}}`;
    default:
      return JSON.stringify(value);
  }
}

function formOfRead(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value === 'string' ? 'text' : typeof value;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i]!, bytes[i + 1], bytes[i + 2]];
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += `${DIGITS[word >>> 18]!}${DIGITS[(word >>> 12) & 63]!}`;
    text += `${b === undefined ? '=' : DIGITS[(word >>> 6) & 63]!}${c === undefined ? '=' : DIGITS[word & 63]!}`;
  }
  return text;
}
