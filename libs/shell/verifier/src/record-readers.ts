// Records of Kafka in the checker's terms.
import { type Clock, copyBytes } from '@flatline/base';
import { EventFormats, type SchemaRegistry, SummaryFormats } from '@flatline/records';
import type { PipelineConfig } from '@flatline/config';
import { CLOCK_HEADER, type RecordCursor } from '@flatline/ports';
import type { InputEvent, InputRecord, LetterOrigin, LetterRecord, LogRecord, OutputRecord } from '@flatline/oracle';

/** Makes a record of what the cursor stands on; a promise where a schema has to be fetched first. */
export type RecordReader<R> = (cursor: RecordCursor) => R | Promise<R>;

const INCARNATION_HEADER = 'flatline-incarnation';
const REASON_HEADER = 'flatline-reason';
const OFFSET_HEADER = 'flatline-offset';
const TRUNCATED_HEADER = 'flatline-truncated';
const LAST_OFFSET_HEADER = 'flatline-last-offset';
const OPENING_BRACE = 0x7b;
const NO_BYTES = new Uint8Array();

export interface ReadingParts {
  readonly clock: Clock;
  readonly registry: SchemaRegistry | undefined;
}

export function readLogRecord(cursor: RecordCursor): LogRecord {
  const { offset, timestamp, logAppendTime, bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
  return {
    ...{ offset, timestamp, logAppendTime },
    key: copyOf(bytes, keyStart, keyLength),
    value: copyOf(bytes, valueStart, valueLength),
  };
}

export function inputReader({ input }: PipelineConfig, parts: ReadingParts): RecordReader<InputRecord> {
  const formats = new EventFormats({ format: input.format, ...parts });
  return (cursor) => {
    const { unreadable } = cursor;
    const record = { ...readLogRecord(cursor), lastOffset: unreadable?.lastOffset };
    const hasClockHeader = record.key === null && cursor.hasHeaders && hasHeader(cursor, CLOCK_HEADER);
    const { value } = record;
    if (value === null || value.length === 0) return { ...record, hasClockHeader, event: undefined };
    const event = eventIn(value, formats);
    if (!(event instanceof Promise)) return { ...record, hasClockHeader, event };
    return event.then((fetched) => ({ ...record, hasClockHeader, event: fetched }));
  };
}

export function outputReader(parts: ReadingParts): RecordReader<OutputRecord> {
  const avro = new SummaryFormats({ format: 'avro', ...parts });
  return (cursor) => {
    const record = readLogRecord(cursor);
    const incarnation = headerText(cursor, INCARNATION_HEADER);
    const { value } = record;
    if (value === null) return { ...record, incarnation, summary: undefined };
    if (value[0] === OPENING_BRACE) return { ...record, incarnation, summary: jsonIn(value) };
    return avroIn(value, avro).then((summary) => ({ ...record, incarnation, summary }));
  };
}

/** The last headers of a name count, and of those behind the offset alone: the refused record may have brought some of its own. */
export function readLetter(cursor: RecordCursor): LetterRecord {
  const headers = cursor.headers();
  const own = new Map(headers.map(({ name, value }) => [name, value]));
  const added = headers.slice(headers.findLastIndex(({ name }) => name === OFFSET_HEADER) + 1);
  const text = (name: string): string => Buffer.from(own.get(name) ?? NO_BYTES).toString('utf8');
  const isLetter = own.has(REASON_HEADER) && own.has(OFFSET_HEADER);
  const { offset, key, value } = readLogRecord(cursor);
  if (!isLetter) return { offset, key, value, origin: undefined };
  const extras = new Map(added.map((each) => [each.name, Buffer.from(each.value ?? NO_BYTES).toString('utf8')]));
  const lastOffset = extras.get(LAST_OFFSET_HEADER);
  const place = { offset: Number(text(OFFSET_HEADER)), reason: text(REASON_HEADER) };
  const lengths = lengthsIn(extras.get(TRUNCATED_HEADER) ?? '');
  return {
    ...{ offset, key, value },
    origin: { ...place, ...lengths, lastOffset: lastOffset === undefined ? undefined : Number(lastOffset) },
  };
}

/** `key=70000 value=5242880` */
function lengthsIn(text: string): Pick<LetterOrigin, 'keyBytes' | 'valueBytes'> {
  const lengthOf = (part: string): number | undefined => {
    const found = text.split(' ').find((each) => each.startsWith(`${part}=`));
    return found === undefined ? undefined : Number(found.slice(part.length + 1));
  };
  return { keyBytes: lengthOf('key'), valueBytes: lengthOf('value') };
}

function eventIn(value: Uint8Array, formats: EventFormats): InputEvent | 'bad' | Promise<InputEvent | 'bad'> {
  const event = {
    type: '',
    ...{ occurredAt: undefined, eventId: undefined, sequence: undefined, timeoutMs: undefined, attributes: undefined },
  };
  const outcome = formats.decode(value, 0, value.length, event);
  if (outcome.kind === 'event') return event;
  if (outcome.kind === 'bad') return 'bad';
  return formats.prepare(outcome.schemaId).then(() => eventIn(value, formats));
}

/** Not by the reader of libs/shell/records: what that one forgives, a consumer of another make may not. */
function jsonIn(value: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed = JSON.parse(Buffer.from(value).toString('utf8')) as unknown;
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the checker says so
  }
}

async function avroIn(
  value: Uint8Array,
  formats: SummaryFormats,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const outcome = await formats.read(value);
  if (outcome.kind !== 'summary') return undefined;
  const { key, ...fields } = outcome.summary;
  const bytes = Buffer.from(key);
  const sessionId = bytes.toString('utf8');
  const isText = Buffer.from(sessionId, 'utf8').equals(bytes);
  return { ...fields, sessionId, sessionKeyBase64: isText ? undefined : bytes.toString('base64') };
}

function hasHeader(cursor: RecordCursor, wanted: string): boolean {
  return cursor.headers().some(({ name }) => name === wanted);
}

function headerText(cursor: RecordCursor, wanted: string): string | undefined {
  const value = cursor.hasHeaders ? cursor.headers().find(({ name }) => name === wanted)?.value : undefined;
  return value === undefined || value === null ? undefined : Buffer.from(value).toString('utf8');
}

function copyOf(bytes: Uint8Array, start: number, length: number): Uint8Array | null {
  if (length < 0) return null;
  return length === 0 ? NO_BYTES : copyBytes(bytes, start, start + length);
}
