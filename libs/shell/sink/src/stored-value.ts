// A value as PostgreSQL can keep it: its texts and jsonb take neither U+0000 nor half a surrogate pair, which keys and
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

/** Objects and arrays in each other. PostgreSQL's parser takes some thousands, JSON.stringify about as many. */
const DEPTH_MAX = 512;

/**
 * A value that JSON.stringify writes, and jsonb takes: maps become objects, bytes text in base64, what is undefined goes. Numbers
 * beyond those of JSON become text (`Infinity`), so does all of a value that is nested beyond DEPTH_MAX.
 */
export function storedJson(value: unknown): unknown {
  try {
    return stored(value, 0);
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
    return storedText(jsonText(value));
  }
}

/** The same of each member by itself: one that becomes text leaves the others what they are. */
export function storedMembers(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storedText(name), storedJson(member)]));
}

const TOO_DEEP = new RangeError('nested too deep');

function stored(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return storedScalar(value);
  if (depth === DEPTH_MAX) throw TOO_DEEP;
  if (Array.isArray(value)) return value.map((member) => stored(member, depth + 1));
  // fromEntries defines `__proto__` as a property like any other (I3).
  return Object.fromEntries(membersOf(value).map(([name, member]) => [storedText(name), stored(member, depth + 1)]));
}

function storedScalar(value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  return value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
}

type Left = { readonly text: string } | { readonly value: unknown };

/** As JSON.stringify, of any depth: takes no stack. */
function jsonText(whole: unknown): string {
  const texts: string[] = [];
  const left: Left[] = [{ value: whole }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ('text' in next) texts.push(next.text);
    else for (const piece of piecesOf(next.value).toReversed()) left.push(piece);
  }
  return texts.join('');
}

function piecesOf(value: unknown): readonly Left[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array)
    // As text it holds any string: what a text cannot hold is escaped.
    return [{ text: JSON.stringify(typeof value === 'string' ? value : storedScalar(value)) }];
  const comma = (i: number): string => (i === 0 ? '' : ',');
  if (Array.isArray(value))
    return [
      { text: '[' },
      ...value.flatMap((member, i) => [{ text: comma(i) }, { value: member as unknown }]),
      { text: ']' },
    ];
  const members = membersOf(value).filter(([, member]) => member !== undefined);
  const named = members.flatMap(([name, member], i) => [
    { text: `${comma(i)}${JSON.stringify(name)}:` },
    { value: member },
  ]);
  return [{ text: '{' }, ...named, { text: '}' }];
}
