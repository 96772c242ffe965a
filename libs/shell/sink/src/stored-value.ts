// What PostgreSQL can keep of a value: its texts and jsonb take neither U+0000 nor half a surrogate pair, which keys and
// attributes may hold (I3). Both become U+FFFD; a key's bytes are kept beside its text.

const strict = new TextDecoder('utf-8', { ignoreBOM: true });

export function storedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A key, or other bytes, as text: what is no UTF-8 shows as U+FFFD. */
export function storedTextOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : storedText(strict.decode(bytes));
}

/** As a column of type bytea reads it; null: none. */
export function storedBytes(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`;
}

/** A value that JSON.stringify writes, and jsonb takes: maps become objects, bytes text in base64, what is undefined goes. */
export function storedJson(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(storedJson);
  const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  // fromEntries defines `__proto__` as a property like any other (I3).
  return Object.fromEntries(members.map(([name, member]) => [storedText(name), storedJson(member)]));
}
