// Records as they lie in a log, and the checker's reading of those of each topic (docs/FORMATS.md).
//
// The names of headers are repeated here on purpose: a product that misnames one would otherwise be read by the name that it wrote.
import { textOf, utf8In } from './byte-names.ts';
import type {
  EventFields,
  InputEvent,
  InputRecord,
  LetterSubject,
  LetterRecord,
  LogRecord,
  OutputRecord,
  RawHeader,
  RoutedRecord,
} from './history.ts';
import { hasCommand } from './acts.ts';
import { isSource, jsonObject } from './json-event.ts';

const CLOCK_HEADER = 'flatline-clock';
const INCARNATION_HEADER = 'flatline-incarnation';
const REASON_HEADER = 'flatline-reason';
const OFFSET_HEADER = 'flatline-offset';
const TOPIC_HEADER = 'flatline-topic';
const TRUNCATED_HEADER = 'flatline-truncated';
const LAST_OFFSET_HEADER = 'flatline-last-offset';
const SOURCE_HEADER = 'flatline-source';
const ROUTE_HEADER = 'flatline-route';
const BY_OPERATOR_HEADER = 'flatline-by-operator';
/** First byte of a value in Avro. */
const AVRO = 0;

export interface RawRecord extends LogRecord {
  readonly headers: readonly RawHeader[];
  /** Set if it stands for a batch, from `offset` to here, whose records cannot be read (I1). */
  readonly lastOffset?: number | undefined;
}

export function plainRecord({ offset, timestamp, logAppendTime, key, value }: RawRecord): LogRecord {
  return { offset, timestamp, logAppendTime, key, value };
}

/** `event`: reads a value that is neither null nor empty. */
export function inputRecord(record: RawRecord, event: (value: Uint8Array) => InputEvent | 'bad'): InputRecord {
  const { value, headers, lastOffset } = record;
  return {
    ...plainRecord(record),
    headers,
    hasClockHeader: headers.some(({ name }) => name === CLOCK_HEADER),
    event: value === null || value.length === 0 ? undefined : withHeaders(event(value), headers),
    lastOffset,
  };
}

/** E1, Q4: an act on a key has no value. */
function withHeaders(event: InputEvent | 'bad', headers: readonly RawHeader[]): InputEvent | 'bad' {
  return hasCommand(headers, 'ERASE') || hasCommand(headers, 'END') ? 'bad' : withSource(event, headers);
}

/** S5: field and headers must name the same source, by a permitted name. */
function withSource(event: InputEvent | 'bad', headers: readonly RawHeader[]): InputEvent | 'bad' {
  if (event === 'bad') return event;
  const inHeaders = headers
    .filter(({ name }) => name === SOURCE_HEADER)
    .map(({ value }) => (value === null ? undefined : utf8In(value)));
  const [first] = inHeaders;
  if (inHeaders.length === 0) return event;
  if (!inHeaders.every(isSource) || new Set([event.source ?? first, ...inHeaders]).size > 1) return 'bad';
  return { ...event, source: first };
}

/** The same for kinds whose values are not events of sessions. `fields`: reads such a value; default: it is not read. */
export function keyedRecord(record: RawRecord, fields?: (value: Uint8Array) => EventFields | undefined): InputRecord {
  const { value } = record;
  const said = fields === undefined || value === null || value.length === 0 ? undefined : (fields(value) ?? 'bad');
  return { ...inputRecord(record, () => 'bad'), fields: said };
}

/** `summary`: reads a value; default: as a JSON object. */
export function outputRecord(
  record: RawRecord,
  summary: (value: Uint8Array) => Readonly<Record<string, unknown>> | undefined = jsonObject,
): OutputRecord {
  const { value, headers } = record;
  return {
    ...plainRecord(record),
    headers,
    incarnation: firstText(headers, INCARNATION_HEADER),
    summary: value === null ? undefined : saidBy(value, headers, summary(value)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Q4: a header says that an operator brought it about, and so does a value in JSON; in Avro it has no field. */
function saidBy(value: Uint8Array, headers: readonly RawHeader[], said: Fields | undefined): Fields | undefined {
  const byOperator = firstText(headers, BY_OPERATOR_HEADER) === 'true';
  if (said === undefined || byOperator === (said['byOperator'] === true)) return said;
  return { ...said, byOperator: value[0] === AVRO ? byOperator : `in a header ${byOperator}` };
}

/** The header comes last: what has been copied, and marked as a copy, was not routed. */
export function routedRecord(record: RawRecord): RoutedRecord {
  const { headers } = record;
  const last = headers.at(-1);
  const said = last?.name === ROUTE_HEADER && last.value !== null ? textOf(last.value) : '';
  const [, group, partition, commit, number] = /^(.+)\/(\d+)\/(\d+)\/(\d+)$/.exec(said) ?? [];
  const place = { partition: Number(partition), commit: Number(commit), number: Number(number) };
  return { ...plainRecord(record), headers, origin: group === undefined ? undefined : { group, ...place } };
}

/** The last header of a name counts, and only those behind the offset's: the refused record may have brought its own. */
export function letterRecord({ offset, key, value, headers }: RawRecord): LetterRecord {
  const offsetAt = headers.findLastIndex(({ name }) => name === OFFSET_HEADER);
  const reason = lastText(headers, REASON_HEADER);
  if (offsetAt < 0 || reason === undefined) return { offset, key, value, subject: undefined };
  const added = headers.slice(offsetAt + 1);
  const lastOffset = lastText(added, LAST_OFFSET_HEADER);
  const subject: LetterSubject = {
    topic: lastText(headers, TOPIC_HEADER),
    offset: Number(lastText(headers, OFFSET_HEADER)),
    reason,
    ...lengthsIn(lastText(added, TRUNCATED_HEADER) ?? ''),
    lastOffset: lastOffset === undefined ? undefined : Number(lastOffset),
  };
  return { offset, key, value, subject };
}

/** `value=5242880 key=70000` */
function lengthsIn(text: string): Pick<LetterSubject, 'keyBytes' | 'valueBytes'> {
  const lengthOf = (part: string): number | undefined => {
    const found = text.split(' ').find((each) => each.startsWith(`${part}=`));
    return found === undefined ? undefined : Number(found.slice(part.length + 1));
  };
  return { keyBytes: lengthOf('key'), valueBytes: lengthOf('value') };
}

function firstText(headers: readonly RawHeader[], wanted: string): string | undefined {
  return textIn(headers.find(({ name }) => name === wanted));
}

function lastText(headers: readonly RawHeader[], wanted: string): string | undefined {
  return textIn(headers.findLast(({ name }) => name === wanted));
}

function textIn(header: RawHeader | undefined): string | undefined {
  return header === undefined || header.value === null ? undefined : textOf(header.value);
}
