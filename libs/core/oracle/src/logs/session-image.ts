// An image of the changelog as a session, and what tells two sessions apart (docs/FORMATS.md, Changelog).
import { BlockReader, NotABlock } from './block-reader.ts';
import { HEARTBEAT } from './json-event.ts';
import type { SequenceSpan, Session } from '../rules/session/naive-session.ts';

const TIMEOUT_CHOSEN = 1;
const HAS_DETAIL = 2;
const TRUNCATED = 1;
const HAS_SEQUENCE = 2;
const WORD_BITS = 32;

/** @throws NotABlock */
export function readImage(image: Uint8Array): Session {
  const bytes = new BlockReader(image);
  const flags = bytes.byte();
  const openedAt = bytes.varint();
  const lastSeenAt = openedAt + bytes.varint();
  const firstOffset = bytes.varint();
  const lastOffset = firstOffset + bytes.varint();
  const eventCount = bytes.varint();
  const session: Session = {
    openedAt,
    lastSeenAt,
    firstOffset,
    lastOffset,
    eventCount,
    timeoutMs: bytes.varint(),
    timeoutChosen: (flags & TIMEOUT_CHOSEN) !== 0,
    duplicates: 0,
    outOfOrder: 0,
    truncated: false,
    sequence: undefined,
    // Without a detail, event times were effective times.
    startedAt: openedAt,
    lastEventAt: lastSeenAt,
    eventIds: [],
    types: new Map(),
    attributes: new Map(),
    due: undefined,
  };
  if ((flags & HAS_DETAIL) !== 0) readDetail(bytes, session);
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind an image');
  const named = [...session.types.values()].reduce((sum, count) => sum + count, 0);
  if (eventCount > named) session.types.set(HEARTBEAT, eventCount - named);
  return session;
}

function readDetail(bytes: BlockReader, session: Session): void {
  const flags = bytes.byte();
  session.truncated = (flags & TRUNCATED) !== 0;
  session.startedAt = bytes.signed();
  session.lastEventAt = bytes.signed();
  session.duplicates = bytes.varint();
  session.outOfOrder = bytes.varint();
  if ((flags & HAS_SEQUENCE) !== 0) session.sequence = readSpan(bytes);
  session.eventIds = bytes.list(() => bytes.text());
  session.types = new Map(bytes.list(() => [bytes.text(), bytes.varint()]));
  session.attributes = new Map(
    bytes.list(() => {
      const name = bytes.text();
      const value = bytes.text();
      return [name, { value, at: bytes.signed() }];
    }),
  );
}

function readSpan(bytes: BlockReader): SequenceSpan {
  const lowest = bytes.varint();
  const highest = bytes.varint();
  const words = [bytes.u32(), bytes.u32()];
  const received = bytes.varint();
  const missingBefore = bytes.count();
  bytes.varint(); // restarts, which reach no output
  const seen = new Set<number>();
  words.forEach((word, index) => {
    for (let bit = 0; bit < WORD_BITS; bit += 1)
      if (Math.floor(word / 2 ** bit) % 2 === 1) seen.add(highest - index * WORD_BITS - bit);
  });
  return { lowest, highest, seen, received, missingBefore };
}

/** The names of what differs, with both values; empty where nothing does. */
export function differences(found: Session, expected: Session): string[] {
  const different: string[] = [];
  for (const name of Object.keys(expected) as (keyof Session)[]) {
    if (found[name] === expected[name]) continue;
    const [a, b] = [shown(found[name]), shown(expected[name])];
    if (a !== b) different.push(`${name} is ${a}, by the input ${b}`);
  }
  return different;
}

/** Equal for equal contents: the order within maps and sets says nothing. */
function shown(value: unknown): string {
  if (value instanceof Map)
    return `{${[...value]
      .map(([name, each]) => `${String(name)}:${shown(each)}`)
      .sort()
      .join()}}`;
  if (value instanceof Set) return `{${[...value].map(shown).sort().join()}}`;
  return value === undefined ? 'none' : JSON.stringify(value);
}
