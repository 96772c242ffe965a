// The sequence windows of a session's named sources (S5), in the bytes that they are kept as: a part of its texts.
//
//   sources = missing of those forgotten varint · count varint · for each, the one least recently heard first: name text
//             · lowest varint · highest − lowest varint · seen low u32 · seen high u32 · received varint · missing before varint
//
// Owns: what these bytes mean, which source is forgotten.
// Does not own: the windows' rules (sequence-window.ts).
//
// Invariants
//   NS1  At most `most` sources are kept where one was added; a name is there once.
import { ByteReader, ByteWriter } from '@flatline/base';
import { MISSING_MAX } from './counts.ts';
import { missingCount, noteSequence, openWindow, type SequenceWindow } from './sequence-window.ts';
import { soughtText } from './sought-text.ts';
import type { SessionTexts } from './texts.ts';

/** Returned by `noteSource` for a sequence seen before. */
export const SEEN_BEFORE = -1;
/** Upper bound on the bytes of a source beside its name; and on those that the first one brings along. */
export const SOURCE_STATE_BYTES = 48;
export const SOURCES_STATE_BYTES = 16;

const NO_WINDOW: SequenceWindow = openWindow(0);
const written = new ByteWriter(256);

/** An event's number, and whose it is. */
export interface Numbered {
  readonly source: string;
  readonly sequence: number;
  /** The event says that its source begins again (STARTED). */
  readonly isStart: boolean;
}

/** Notes a source's sequence. Returns how many sources were forgotten for it, or `SEEN_BEFORE`. `most` is at least 1. */
export function noteSource(texts: SessionTexts, { source, sequence, isStart }: Numbered, most: number): number {
  const name = soughtText(source);
  const span = texts.sources;
  if (span === undefined) {
    writeHead(0, 1);
    writeSource(name, openWindow(sequence));
    texts.spliceSources(0, 0, written.peek(), written.length);
    return 0;
  }
  const { bytes, start, length } = span;
  const input = new ByteReader(bytes, start, start + length);
  let missing = input.varint();
  const count = input.varint();
  const first = input.position;
  for (let left = count; left > 0; left -= 1) {
    const at = input.position;
    input.skip(input.varint());
    const isIt = input.position - at === name.length && isAt(bytes, at, name);
    const window = readWindow(input);
    if (!isIt) continue;
    const isNew = noteSequence(window, sequence, isStart) !== 'duplicate';
    written.clear();
    written.raw(bytes, input.position, input.remaining);
    writeSource(name, window);
    texts.spliceSources(at - start, start + length - at, written.peek(), written.length);
    return isNew ? 0 : SEEN_BEFORE;
  }
  const oldest = new ByteReader(bytes, first, start + length);
  let kept = count;
  for (; kept >= most; kept -= 1) missing = Math.min(missing + missingCount(readSource(oldest)), MISSING_MAX);
  writeHead(missing, kept + 1);
  written.raw(bytes, oldest.position, oldest.remaining);
  writeSource(name, openWindow(sequence));
  texts.spliceSources(0, length, written.peek(), written.length);
  return count - kept;
}

/** Counts the sequence numbers missing from all sources, the forgotten ones included (S6). */
export function missingOfSources(texts: SessionTexts): number {
  const { sources } = texts;
  if (sources === undefined) return 0;
  const input = new ByteReader(sources.bytes, sources.start, sources.start + sources.length);
  let missing = input.varint();
  for (let left = input.varint(); left > 0; left -= 1) missing += missingCount(readSource(input));
  return Math.min(missing, MISSING_MAX);
}

/** Sources of a session, as they are kept: the one least recently heard first. */
export interface SessionSources {
  /** Missing of those forgotten. */
  missing: number;
  readonly windows: Map<string, SequenceWindow>;
}

/** Undefined: there are none. */
export function sourcesOf(texts: SessionTexts): SessionSources | undefined {
  const { sources } = texts;
  if (sources === undefined) return undefined;
  const input = new ByteReader(sources.bytes, sources.start, sources.start + sources.length);
  const missing = input.varint();
  const windows = new Map<string, SequenceWindow>();
  for (let left = input.varint(); left > 0; left -= 1) windows.set(input.text(), readWindow(input));
  return { missing, windows };
}

/** `texts` has none. */
export function setSources(texts: SessionTexts, { missing, windows }: SessionSources): void {
  writeHead(missing, windows.size);
  for (const [name, window] of windows) writeSource(soughtText(name), window);
  texts.spliceSources(0, 0, written.peek(), written.length);
}

function writeHead(missing: number, count: number): void {
  written.clear();
  written.varint(missing);
  written.varint(count);
}

function writeSource(name: Uint8Array, window: SequenceWindow): void {
  written.raw(name);
  written.varint(window.lowest);
  written.varint(window.highest - window.lowest);
  written.u32(window.seenLow);
  written.u32(window.seenHigh);
  written.varint(window.received);
  written.varint(window.missingBefore);
}

function readSource(input: ByteReader): SequenceWindow {
  input.skip(input.varint());
  return readWindow(input);
}

/** Restarts are not kept: they reach no output. */
function readWindow(input: ByteReader): SequenceWindow {
  const lowest = input.varint();
  return {
    ...NO_WINDOW,
    lowest,
    highest: lowest + input.varint(),
    seenLow: input.u32(),
    seenHigh: input.u32(),
    received: input.varint(),
    missingBefore: input.varint(),
  };
}

/** As many bytes as `text` has, length and all. */
function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}
