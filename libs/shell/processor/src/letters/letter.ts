// Records of a dead-letter topic: letters, and the marks that a replay leaves behind them. Pure.
import { copyBytes, type Millis } from '@flatline/base';
import {
  type DeadLetterOrigin,
  type DeadLetterReason,
  type OutgoingRecord,
  readDeadLetter,
  type RecordCursor,
  type RecordHeader,
} from '@flatline/ports';

/** On a replayed record: `<dead-letter topic>/<partition>/<offset>`, and which replay of that dead letter it is, from 1. */
const REPLAYED_FROM_HEADER = 'flatline-replayed-from';
const REPLAY_HEADER = 'flatline-replay';
/** On a mark: the offset of the dead letter, in the same partition, that was replayed. */
const REPLAYED_HEADER = 'flatline-replayed';

/** In the dead-letter topic. */
export interface LetterPlace {
  readonly partition: number;
  readonly offset: number;
}

export interface Letter extends LetterPlace {
  readonly kind: 'letter';
  /** When it was written to the dead-letter topic. */
  readonly writtenAt: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** Headers of the refused record. */
  readonly headers: readonly RecordHeader[];
  readonly origin: DeadLetterOrigin;
}

/** Written in the transaction of each replay, so that a second one is told apart. */
export interface ReplayMark {
  readonly kind: 'mark';
  readonly offset: number;
}

/** An output of which no route made a record (P3). It was never in the input. */
export function isOutput({ origin }: Pick<Letter, 'origin'>): boolean {
  return origin.reason === ('unroutable' satisfies DeadLetterReason);
}

/** True if the letter holds its whole record, and that is of the input: all else cannot be sent back. */
export function isWhole({ origin }: Letter): boolean {
  return !isOutput({ origin }) && origin.truncated === undefined && origin.batch === undefined;
}

export type LetterRecord = Letter | ReplayMark | { readonly kind: 'foreign' };

/** As much of a cursor as a letter is read from. */
export type LetterCursor = Pick<
  RecordCursor,
  'offset' | 'timestamp' | 'bytes' | 'keyStart' | 'keyLength' | 'valueStart' | 'valueLength' | 'hasHeaders' | 'headers'
>;

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

/** Copies what the cursor stands on. */
export function letterRecord(cursor: LetterCursor, partition: number): LetterRecord {
  const headers = cursor.hasHeaders ? cursor.headers().map(copyHeader) : [];
  const read = readDeadLetter(headers);
  if (read === undefined) return markOf(headers) ?? { kind: 'foreign' };
  return {
    kind: 'letter',
    partition,
    offset: cursor.offset,
    writtenAt: cursor.timestamp,
    ...read,
    key: copy(cursor.bytes, cursor.keyStart, cursor.keyLength),
    value: copy(cursor.bytes, cursor.valueStart, cursor.valueLength),
  };
}

/** The refused record again; `timestamp` for inputs whose records carry their producers' times. `replay`: from 1. */
export function replayedRecord(
  letter: Letter,
  topic: string,
  replay: number,
  timestamp: Millis | undefined,
): OutgoingRecord {
  const { key, value, partition, offset } = letter;
  const headers = [
    ...letter.headers,
    header(REPLAYED_FROM_HEADER, `${topic}/${partition}/${offset}`),
    header(REPLAY_HEADER, String(replay)),
  ];
  return { key, value, headers, ...(timestamp === undefined ? {} : { timestamp }) };
}

export function replayMark({ offset }: Pick<Letter, 'offset'>, replay: number): OutgoingRecord {
  const headers = [header(REPLAYED_HEADER, String(offset)), header(REPLAY_HEADER, String(replay))];
  return { key: null, value: new Uint8Array(0), headers };
}

/** True if the refused record had been sent back by a replay of this dead-letter topic. */
export function isReplayOf({ headers }: Letter, topic: string): boolean {
  return headers.some(
    ({ name, value }) => name === REPLAYED_FROM_HEADER && utf8Reader.decode(value ?? undefined).startsWith(`${topic}/`),
  );
}

function markOf(headers: readonly RecordHeader[]): ReplayMark | undefined {
  const found = headers[0];
  if (found?.name !== REPLAYED_HEADER || found.value === null) return undefined;
  const offset = Number(utf8Reader.decode(found.value));
  return Number.isSafeInteger(offset) ? { kind: 'mark', offset } : undefined;
}

function header(name: string, value: string): RecordHeader {
  return { name, value: utf8.encode(value) };
}

function copyHeader({ name, value }: RecordHeader): RecordHeader {
  return { name, value: value && copyBytes(value, 0, value.length) };
}

function copy(bytes: Uint8Array, start: number, length: number): Uint8Array | null {
  return length < 0 ? null : copyBytes(bytes, start, start + length);
}
