// Reads what a record asks of the schedules of its key: all of it in its headers, since its value is the message.
//
// Owns: nothing that outlives a call.
// Does not own: what is done about it (ScheduleKind).
import { type Calendar, decimalIn, type DurationMs, type Millis } from '@flatline/base';
import {
  ASKING_HEADERS,
  CANCEL,
  COMMAND_HEADER,
  CRON_HEADER,
  DELAY_HEADER,
  DUE_AT_HEADER,
  END_AT_HEADER,
  EVERY_HEADER,
  EXPIRES_HEADER,
  JITTER_HEADER,
  MAX_RUNS_HEADER,
  OWN_HEADERS,
  SCHEDULE_ID_HEADER,
  SCHEDULE_ID_LENGTH_MAX,
  START_AT_HEADER,
  TARGET_HEADER,
  TIME_ZONE_HEADER,
  UPSERT_HEADER,
} from '@flatline/ports/formats';
import { invalidHeader, type RecordHeader } from '@flatline/ports';
import { type Bad, bad, type ScheduleReason } from './refusal.ts';
import { instantOf } from './instant-text.ts';
import { messageOf } from './message.ts';
import type { ScheduleRules } from './schedule-rules.ts';
import { ONCE, type Specification } from './specification.ts';

const COMMANDS = ['PAUSE', 'RESUME', 'TRIGGER'] as const;
export type Command = (typeof COMMANDS)[number];

export interface ScheduleAsked {
  readonly does: 'schedule';
  readonly id: string | undefined;
  /** One of the two for what runs once, neither for what recurs. */
  readonly dueAt: Millis | undefined;
  readonly delayMs: DurationMs | undefined;
  readonly when: Specification;
  /** undefined: the pipeline's output. */
  readonly target: string | undefined;
  /** Begin again, whatever there is. */
  readonly reset: boolean;
  readonly message: Uint8Array;
}

/** Without an id: of each schedule of the key. */
export type CommandAsked = { readonly does: Command | 'CANCEL'; readonly id: string | undefined };

export type Asked = ScheduleAsked | CommandAsked;

/** A header that does not say what it should. */
class BadHeader extends Error {
  readonly refusal: Bad;

  constructor(reason: ScheduleReason, detail: string) {
    super(detail);
    this.refusal = bad(reason, detail);
  }
}

/** Longer ones are no cron expressions. */
const TEXT_LENGTH_MAX = 256;
const NO_TEXT = new Uint8Array(0);
const INTEGER = /^\d{1,16}$/;
const WHENS = [DUE_AT_HEADER, DELAY_HEADER, EVERY_HEADER, CRON_HEADER] as const;
const UPSERTS = ['reset'];
/** Others that begin as ours do, of a replay for example, say nothing: nor may a reason be made of their names. */
type Known = (typeof ASKING_HEADERS)[number] | typeof COMMAND_HEADER;
const KNOWN: ReadonlySet<string> = new Set<Known>([...ASKING_HEADERS, COMMAND_HEADER]);
const isKnown = (name: string): name is Known => KNOWN.has(name);
/** The hash that it is taken from has 32 bits. */
const JITTER_MAX_MS = 2 ** 31 - 1;
/** Kafka's limit of topic names. */
const TARGET_LENGTH_MAX = 249;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A record's headers, and where its value lies; a length of less than 0: it is null. */
export interface AskingRecord {
  readonly headers: readonly RecordHeader[];
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

export function readAsked(record: AskingRecord, rules: ScheduleRules, calendar: Calendar): Asked | Bad {
  try {
    return asked(record, rules, calendar);
  } catch (error) {
    if (error instanceof BadHeader) return error.refusal;
    throw error;
  }
}

/** Values of headers by their names, in UTF-8. */
type OwnHeaders = ReadonlyMap<Known, Uint8Array>;

function asked({ headers, bytes, start, length }: AskingRecord, rules: ScheduleRules, calendar: Calendar): Asked {
  const own = ownHeaders(headers);
  const id = textIn(own, SCHEDULE_ID_HEADER, SCHEDULE_ID_LENGTH_MAX);
  const command = textIn(own, COMMAND_HEADER);
  if (command === CANCEL && length >= 0)
    throw new BadHeader('invalid-command', `what cancels schedules (${COMMAND_HEADER}: ${CANCEL}) has no value`);
  if (command === CANCEL) return { does: CANCEL, id };
  if (command !== undefined) return { does: oneOf(COMMANDS, command, COMMAND_HEADER), id };
  if (length < 0) return { does: 'CANCEL', id };
  const upsert = textIn(own, UPSERT_HEADER);
  checkWhens(own);
  const dueAt = instantIn(own, DUE_AT_HEADER);
  const delayMs = integerIn(own, DELAY_HEADER, 0);
  const saysMore = own.size > (id === undefined ? 1 : 2);
  const isOnce = dueAt !== undefined || delayMs !== undefined;
  return {
    does: 'schedule',
    id,
    dueAt,
    delayMs,
    when: isOnce && !saysMore ? ONCE : specification(own, rules, calendar),
    target: targetIn(own, rules),
    reset: upsert !== undefined && oneOf(UPSERTS, upsert, UPSERT_HEADER).length > 0,
    message: messageFrom(headers, bytes, start, length, rules),
  };
}

function checkWhens(own: OwnHeaders): void {
  let count = 0;
  for (const name of WHENS) if (own.has(name)) count += 1;
  if (count === 1) return;
  if (count === 0) throw new BadHeader('no-schedule', `one of the headers ${WHENS.join(', ')} is needed`);
  const said = WHENS.filter((name) => own.has(name));
  throw new BadHeader('conflicting-schedule', `only one of ${said.join(' and ')} can be kept`);
}

function specification(own: OwnHeaders, rules: ScheduleRules, calendar: Calendar): Specification {
  const when = {
    everyMs: integerIn(own, EVERY_HEADER, rules.minEveryMs),
    cron: textIn(own, CRON_HEADER),
    timeZone: textIn(own, TIME_ZONE_HEADER) ?? 'UTC',
    startAt: instantIn(own, START_AT_HEADER),
    endAt: instantIn(own, END_AT_HEADER),
    maxRuns: integerIn(own, MAX_RUNS_HEADER, 1),
    expiresMs: integerIn(own, EXPIRES_HEADER, 0),
    // A jitter of 0 is none, and what is published again with it says the same (D3).
    jitterMs: integerIn(own, JITTER_HEADER, 0, JITTER_MAX_MS) || undefined,
  };
  const recurs = when.everyMs !== undefined || when.cron !== undefined;
  const bounds = ([START_AT_HEADER, END_AT_HEADER, MAX_RUNS_HEADER] as const).filter((name) => own.has(name));
  if (!recurs && bounds.length > 0)
    throw new BadHeader('conflicting-schedule', `${bounds.join(', ')} needs ${EVERY_HEADER} or ${CRON_HEADER}`);
  if (when.cron === undefined) {
    if (own.has(TIME_ZONE_HEADER))
      throw new BadHeader('conflicting-schedule', `${TIME_ZONE_HEADER} needs ${CRON_HEADER}`);
    return { ...when, timeZone: '' };
  }
  const fault = calendar.fault(when.cron, when.timeZone);
  if (fault !== undefined) throw new BadHeader(`invalid-${fault.about}`, fault.detail);
  return when;
}

function targetIn(own: OwnHeaders, { targets, outputTopic }: ScheduleRules): string | undefined {
  const target = textIn(own, TARGET_HEADER, TARGET_LENGTH_MAX);
  if (target === undefined || targets.includes(target)) return target;
  if (target === outputTopic) return undefined;
  const there = targets.length === 0 ? ', and this pipeline has none' : ` (${targets.join(', ')})`;
  throw new BadHeader('unknown-target', `${TARGET_HEADER} ${target} is none of targets${there}`);
}

/** Headers that say something. A name that comes twice says two things. */
function ownHeaders(headers: readonly RecordHeader[]): OwnHeaders {
  const own = new Map<Known, Uint8Array>();
  for (const { name, value } of headers) {
    if (!isKnown(name)) continue;
    if (own.has(name)) throw new BadHeader('repeated-header', `${name} comes more than once`);
    // Digits, as nearly all of them are, need no text. Of the others one that is none refuses the record, wanted or not.
    if (value !== null && decimalIn(value) === undefined) textOf(name, value);
    own.set(name, value ?? NO_TEXT);
  }
  return own;
}

function messageFrom(
  headers: readonly RecordHeader[],
  bytes: Uint8Array,
  start: number,
  length: number,
  { maxMessageBytes }: ScheduleRules,
): Uint8Array {
  const foreign = headers.filter(({ name }) => !name.startsWith(OWN_HEADERS));
  const message = messageOf(foreign, bytes, start, length);
  if (message.length > maxMessageBytes)
    throw new BadHeader(
      'message-too-large',
      `value and headers have ${message.length} bytes, maxMessageBytes is ${maxMessageBytes}`,
    );
  return message;
}

function textIn(own: OwnHeaders, name: Known, lengthMax = TEXT_LENGTH_MAX): string | undefined {
  const value = own.get(name);
  if (value === undefined) return undefined;
  const text = textOf(name, value);
  if (text.length > 0 && text.length <= lengthMax) return text;
  throw invalid(name, `text of 1 to ${lengthMax} characters`);
}

function instantIn(own: OwnHeaders, name: Known): Millis | undefined {
  const value = own.get(name);
  if (value === undefined) return undefined;
  const millis = decimalIn(value);
  if (millis !== undefined) return millis;
  const text = textOf(name, value);
  const instant = instantOf(text);
  if (instant === undefined) throw invalid(name, 'instant: ms since the epoch, or ISO 8601 with a zone', text);
  return instant;
}

function integerIn(
  own: OwnHeaders,
  name: Known,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const said = own.get(name);
  if (said === undefined) return undefined;
  const value = decimalIn(said) ?? integerOf(textOf(name, said));
  if (value >= least && value <= most) return value;
  throw invalid(name, `integer from ${least} to ${most} in decimal digits`, textOf(name, said));
}

function integerOf(text: string): number {
  return INTEGER.test(text) ? Number(text) : Number.NaN;
}

function oneOf<Word extends string>(words: readonly Word[], text: string, name: Known): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw invalid(name, `one of ${words.join(', ')}`, text);
  return found;
}

function invalid(name: Known, wanted: string, text?: string): BadHeader {
  const found = text === undefined ? '' : `: ${text.slice(0, TEXT_LENGTH_MAX)}`;
  return new BadHeader(invalidHeader(name), `the header ${name} is no ${wanted}${found}`);
}

function textOf(name: Known, value: Uint8Array): string {
  try {
    return utf8.decode(value);
  } catch {
    throw invalid(name, 'UTF-8');
  }
}
