// Reads a session in the changelog, and compares two sessions (docs/FORMATS.md, Changelog).
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import { mayBeHash } from '../attributes-in.ts';
import { hexOf, UNDECIDED } from '../reducing/naive-reducer.ts';
import { readHead } from './session-head.ts';
import type { SequenceSpan } from './sequence-span.ts';
import type { Session } from './session-state.ts';

const HAS_TEXTS = 1;
const HAS_SEQUENCE = 2;
const HAS_SOURCES = 4;
const HAS_DISORDER = 8;
const HAS_REDUCED = 16;
const WORD_BITS = 32;
/** The highest bit of a position in the texts' header. */
const MARK = 2 ** 31;

/** `image`: head and pages. @throws NotABlock */
export function readImage(image: Uint8Array): Session {
  return readSession(image, true);
}

function readSession(image: Uint8Array, hasLater: boolean): Session {
  const bytes = new BlockReader(image);
  const { numbers, isClosed, ...head } = readHead(bytes);
  const session: Session = {
    ...head,
    duplicates: 0,
    outOfOrder: 0,
    truncated: false,
    sequence: undefined,
    sources: undefined,
    missingOfForgotten: 0,
    // Without numbers, event times equal effective times.
    startedAt: head.openedAt,
    lastEventAt: head.lastSeenAt,
    eventIds: [],
    types: new Map(),
    attributes: new Map(),
    hasTexts: false,
    hasSources: false,
    toldAt: undefined,
    reduced: undefined,
    endedAt: undefined,
    absorbed: [],
    later: [],
    closed: undefined,
  };
  const flags = numbers === undefined ? 0 : readNumbers(new BlockReader(numbers), session);
  session.hasTexts = (flags & HAS_TEXTS) !== 0;
  session.hasSources = (flags & HAS_SOURCES) !== 0;
  const disorder = (flags & HAS_DISORDER) === 0 ? undefined : new BlockReader(bytes.bytes(bytes.u32()));
  if (disorder !== undefined) readDisorder(disorder, session, hasLater);
  if (isClosed) readClosed(disorder, session);
  if (disorder?.isAtEnd === false) throw new NotABlock('has bytes behind the sessions of a key');
  if ((flags & HAS_REDUCED) !== 0) session.reduced = hexOf(bytes.bytes(bytes.u32()));
  if (session.hasTexts) readTexts(bytes.rest(), session);
  // It has no event that began or ended anything.
  if (session.isEarly) session.startedAt = session.lastEventAt = session.openedAt;
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind an entry');
  return session;
}

/** Reads disorder that the head does not tell, and the key's later sessions, which have no disorder of their own. */
function readDisorder(bytes: BlockReader, session: Session, hasLater: boolean): void {
  if (bytes.byte() === 1) {
    session.timeoutMs = bytes.varint();
    session.timeoutChosen = bytes.byte() === 1;
    session.endedAt = bytes.signed();
  }
  session.absorbed = bytes.list(() => bytes.varint());
  session.later = bytes.list(() => readSession(bytes.bytes(bytes.varint()), false));
  if (!hasLater && session.later.length > 0) throw new NotABlock('has sessions within a later one');
}

const REASONS = ['TIMEOUT', 'ENDED', 'MAX_DURATION', 'EVICTED'];
/** Ended by an operator (Q4). */
const BY_OPERATOR = 4;

/** S9: reads the fields that a closed session has in place of a live one's, and its last summary. */
function readClosed(bytes: BlockReader | undefined, session: Session): void {
  if (bytes === undefined || session.later.length > 0)
    throw new NotABlock('is closed, and says not how, or has others');
  const closedAt = session.lastSeenAt;
  session.lastSeenAt = closedAt - bytes.signed();
  session.timeoutMs = bytes.varint();
  session.timeoutChosen = bytes.byte() === 1;
  const number = bytes.byte();
  const byOperator = number === BY_OPERATOR;
  const reason = byOperator ? 'ENDED' : REASONS[number];
  if (reason === undefined) throw new NotABlock('is closed for no reason that there is');
  session.closed = { closedAt, reason, byOperator, revision: bytes.varint() };
}

/** Returns the flags. */
function readNumbers(bytes: BlockReader, session: Session): number {
  const flags = bytes.byte();
  session.startedAt = bytes.signed();
  session.lastEventAt = bytes.signed();
  session.duplicates = bytes.varint();
  session.outOfOrder = bytes.varint();
  if ((flags & HAS_SEQUENCE) !== 0) session.sequence = readSpan(bytes);
  return flags;
}

function readTexts(state: Uint8Array, session: Session): void {
  const bytes = new BlockReader(state);
  const lengthAndMark = bytes.u32();
  const attributeLength = lengthAndMark % MARK;
  const [types, attributes] = [bytes.u32(), bytes.u32()];
  session.truncated = types >= MARK;
  if (lengthAndMark >= MARK) readMore(bytes, session);
  session.eventIds = bytes.list(() => bytes.text());
  const typesAt = bytes.position;
  session.types = new Map(bytes.list(() => [bytes.text(), bytes.varint()]));
  const attributesAt = bytes.position;
  session.attributes = new Map(
    bytes.list(() => {
      const name = bytes.text();
      const value = bytes.text();
      return [name, { value, at: bytes.signed() }];
    }),
  );
  const length = [...session.attributes].reduce((sum, [name, { value }]) => sum + name.length + value.length, 0);
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind its texts');
  if (types % MARK !== typesAt || attributes % MARK !== attributesAt || attributeLength !== length)
    throw new NotABlock(
      `has texts whose header says that types are at ${types % MARK}, attributes at ${attributes % MARK}, ` +
        `these ${attributeLength} long, and they are at ${typesAt} and ${attributesAt}, ${length} long`,
    );
}

/** Begins with the offset where these fields end; its highest bit says that `toldAt` is among them. */
function readMore(bytes: BlockReader, session: Session): void {
  const endAndMark = bytes.u32();
  const end = endAndMark % MARK;
  if (endAndMark >= MARK) session.toldAt = bytes.u32() + bytes.u32() * 2 ** WORD_BITS;
  if (bytes.position < end) {
    session.missingOfForgotten = bytes.varint();
    session.sources = bytes.list(() => ({ name: bytes.text(), span: readSourceSpan(bytes) }));
  }
  if (bytes.position !== end)
    throw new NotABlock(`has sources that end at ${bytes.position}, and says that they do at ${end}`);
}

/** Its highest is stored as a distance from the lowest, and there are no restarts. */
function readSourceSpan(bytes: BlockReader): SequenceSpan {
  const lowest = bytes.varint();
  const highest = lowest + bytes.varint();
  const seen = readSeen(bytes, highest);
  return { lowest, highest, seen, received: bytes.varint(), missingBefore: bytes.varint() };
}

function readSpan(bytes: BlockReader): SequenceSpan {
  const lowest = bytes.varint();
  const highest = bytes.varint();
  const seen = readSeen(bytes, highest);
  const received = bytes.varint();
  const missingBefore = bytes.varint();
  bytes.varint(); // restarts, which reach no output
  return { lowest, highest, seen, received, missingBefore };
}

function readSeen(bytes: BlockReader, highest: number): Set<number> {
  const words = [bytes.u32(), bytes.u32()];
  const seen = new Set<number>();
  words.forEach((word, index) => {
    for (let bit = 0; bit < WORD_BITS; bit += 1)
      if (Math.floor(word / 2 ** bit) % 2 === 1) seen.add(highest - index * WORD_BITS - bit);
  });
  return seen;
}

/** Names of the fields that differ, with both values; empty if none do. */
export function differences(found: Session, expected: Session): string[] {
  const different: string[] = [];
  for (const name of Object.keys(expected) as (keyof Session)[]) {
    if (found[name] === expected[name]) continue;
    // A state of functions that are no longer configured cannot be judged, nor what has been added to it since.
    if (name === 'reduced' && (found.reduced === UNDECIDED || expected.reduced === UNDECIDED)) continue;
    const [a, b] = [shown(found[name]), shown(reckoned(expected[name], found[name]))];
    if (a !== b) different.push(`${name} is ${a}, by the input ${b}`);
  }
  return different;
}

/** Returns the expected state, with a hash that could not be reckoned (E1) as it was found. */
function reckoned(expected: unknown, found: unknown): unknown {
  if (mayBeHash(found, expected)) return found;
  if (expected instanceof Map) {
    const there = found instanceof Map ? (found as ReadonlyMap<unknown, unknown>) : new Map<unknown, unknown>();
    return new Map([...expected].map(([name, each]): [unknown, unknown] => [name, reckoned(each, there.get(name))]));
  }
  if (Array.isArray(expected))
    return expected.map((each: unknown, i) => reckoned(each, Array.isArray(found) ? found[i] : undefined));
  if (typeof expected !== 'object' || expected === null || expected instanceof Set) return expected;
  const there = typeof found === 'object' && found !== null ? { ...found } : {};
  const parts = Object.entries(expected).map(([name, each]) => [name, reckoned(each, Reflect.get(there, name))]);
  return Object.fromEntries(parts) as unknown;
}

/** Equal for equal contents: maps and sets in any order. */
function shown(value: unknown): string {
  if (value instanceof Map)
    return `{${[...value]
      .map(([name, each]) => `${String(name)}:${shown(each)}`)
      .sort()
      .join()}}`;
  if (value instanceof Set) return `{${[...value].map(shown).sort().join()}}`;
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  if (typeof value === 'object' && value !== null) return shown(new Map(Object.entries(value)));
  return value === undefined ? 'none' : JSON.stringify(value);
}
