// The schedules of a key as the bytes of its entry's state. The same bytes stand in the changelog.
//
//   state    = schedule…, in the order of the log
//   schedule = length varint of what follows · id text (empty: none) · offset varint · due at varint · runs varint
//              · missed varint · made up varint · flags u8 (1 paused, 2 every, 4 cron, 8 start, 16 end, 32 max runs, 64 expires,
//              128 more) · [more u8 (1 target, 2 jitter, 4 parked, which is paused too)]
//              · [every ms varint] · [cron text · time zone text] · [start at varint] · [end at varint] · [max runs varint]
//              · [expires ms varint] · [target text] · [jitter ms varint · shift ms varint] · message
//   message  = as `@flatline/schedules` writes it
//
// Read whole and written whole, but for the messages, which stay the bytes they are.
import { ByteReader, ByteWriter, type DurationMs, MalformedBytes, type Millis } from '@flatline/base';
import { ONCE, type PlainRequest, readText, type Specification } from '@flatline/schedules';
import type { GroupRecords } from '../contract.ts';
import type { BytesSpan } from '../state-bytes.ts';

export interface Schedule {
  readonly id: string | undefined;
  /** Where the record that scheduled it lies. */
  readonly offset: number;
  readonly dueAt: Millis;
  /** By how much the run at `dueAt` is later. 0 without jitter. */
  readonly shiftMs: DurationMs;
  /** Made so far. */
  readonly runs: number;
  /** Runs not made up for since the last one. */
  readonly missed: number;
  /** Runs made up for since the last one in time. */
  readonly madeUp: number;
  readonly paused: boolean;
  /** Paused by no command, but because it could not be reckoned (D3). Then `paused` as well. */
  readonly parked: boolean;
  readonly when: Specification;
  /** undefined: the pipeline's output. */
  readonly target: string | undefined;
  /** Value and foreign headers, encoded. */
  readonly message: Uint8Array;
}

const PAUSED = 1;
const EVERY = 2;
const CRON = 4;
const START = 8;
const END = 16;
const MAX_RUNS = 32;
const EXPIRES = 64;
const MORE = 128;
const TARGET = 1;
const JITTER = 2;
const PARKED = 4;
/** Offset, due at, runs, missed, made up. */
const FIELDS_BEFORE_FLAGS = 5;
const MORE_MAX = TARGET | JITTER | PARKED;

/** Scratch. */
const written = new ByteWriter(1024);
const one = new ByteWriter(1024);

/** Valid until the next call. */
export function stateOf(schedules: readonly Schedule[]): BytesSpan {
  written.clear();
  for (const schedule of schedules) {
    const { message } = schedule;
    one.clear();
    write(schedule, one);
    written.varint(one.length + message.length);
    written.raw(one.peek());
    written.raw(message);
  }
  return { bytes: written.peek(), start: 0, length: written.length };
}

/** As `stateOf`, of the one schedule that a plain request is found to ask for, in the record at `records.index`. */
export function plainState(
  request: PlainRequest,
  { bytes, group, index }: GroupRecords,
  offset: number,
  dueAt: Millis,
): BytesSpan {
  one.clear();
  one.block(bytes, request.idStart, request.idLength);
  one.varint(offset);
  one.varint(dueAt);
  // Runs, missed, made up, flags.
  one.u32(0);
  written.clear();
  written.varint(one.length + request.messageLength);
  written.raw(one.peek());
  request.writeMessage(bytes, group, index, written);
  return { bytes: written.peek(), start: 0, length: written.length };
}

/** Messages are views, valid until the next edit of the state. @throws MalformedBytes */
export function schedulesIn({ bytes, start, length }: BytesSpan): readonly Schedule[] {
  const input = new ByteReader(bytes, start, start + length);
  const schedules: Schedule[] = [];
  while (input.remaining > 0) {
    const size = input.varint();
    const from = input.position;
    input.skip(size);
    schedules.push(read(new ByteReader(bytes, from, from + size)));
  }
  return schedules;
}

/**
 * True if a run of any of them depends on the clock by which it is made: it may have expired by then, or the next instants may
 * have passed. Reads no message, and makes no objects of schedules. @throws MalformedBytes
 */
export function needsClock({ bytes, start, length }: BytesSpan): boolean {
  const input = new ByteReader(bytes, start, start + length);
  while (input.remaining > 0) {
    const size = input.varint();
    const end = input.position + size;
    input.skip(input.varint());
    for (let field = 0; field < FIELDS_BEFORE_FLAGS; field += 1) input.varint();
    if ((input.u8() & (EVERY | CRON | EXPIRES)) !== 0) return true;
    input.skip(end - input.position);
  }
  return false;
}

/** All but the message. */
function write(schedule: Schedule, out: ByteWriter): void {
  const { when, target } = schedule;
  const { everyMs, cron, timeZone, startAt, endAt, maxRuns, expiresMs, jitterMs } = when;
  out.text(schedule.id ?? '');
  out.varint(schedule.offset);
  out.varint(schedule.dueAt);
  out.varint(schedule.runs);
  out.varint(schedule.missed);
  out.varint(schedule.madeUp);
  const more = flagIf(TARGET, target) | flagIf(JITTER, jitterMs) | (schedule.parked ? PARKED : 0);
  const first = (schedule.paused ? PAUSED : 0) | (cron === undefined ? 0 : CRON) | (more === 0 ? 0 : MORE);
  const bounds = flagIf(START, startAt) | flagIf(END, endAt) | flagIf(MAX_RUNS, maxRuns) | flagIf(EXPIRES, expiresMs);
  out.u8(first | flagIf(EVERY, everyMs) | bounds);
  if (more !== 0) out.u8(more);
  varintIf(everyMs, out);
  if (cron !== undefined) {
    out.text(cron);
    out.text(timeZone);
  }
  varintIf(startAt, out);
  varintIf(endAt, out);
  varintIf(maxRuns, out);
  varintIf(expiresMs, out);
  if (target !== undefined) out.text(target);
  if (jitterMs !== undefined) {
    out.varint(jitterMs);
    out.varint(schedule.shiftMs);
  }
}

function flagIf(flag: number, value: number | string | undefined): number {
  return value === undefined ? 0 : flag;
}

function varintIf(value: number | undefined, out: ByteWriter): void {
  if (value !== undefined) out.varint(value);
}

function read(input: ByteReader): Schedule {
  const id = readText(input);
  const offset = input.varint();
  const dueAt = input.varint();
  const runs = input.varint();
  const missed = input.varint();
  const madeUp = input.varint();
  const flags = input.u8();
  const more = (flags & MORE) === 0 ? 0 : input.u8();
  const paused = (flags & PAUSED) !== 0;
  const parked = (more & PARKED) !== 0;
  if (more > MORE_MAX || (parked && !paused)) throw new MalformedBytes(`flags ${flags}, ${more} of a schedule`);
  const fields = (flags & ~(PAUSED | MORE)) === 0 ? ONCE : readFields(flags, input);
  const target = (more & TARGET) === 0 ? undefined : readText(input);
  const jitterMs = (more & JITTER) === 0 ? undefined : input.varint();
  const shiftMs = jitterMs === undefined ? 0 : input.varint();
  const when = jitterMs === undefined ? fields : { ...fields, jitterMs };
  const message = input.raw(input.remaining);
  return {
    id: id === '' ? undefined : id,
    offset,
    dueAt,
    shiftMs,
    runs,
    missed,
    madeUp,
    paused,
    parked,
    when,
    target,
    message,
  };
}

/** All but the jitter. */
function readFields(flags: number, input: ByteReader): Specification {
  const numberIf = (flag: number): number | undefined => ((flags & flag) === 0 ? undefined : input.varint());
  const hasCron = (flags & CRON) !== 0;
  return {
    everyMs: numberIf(EVERY),
    cron: hasCron ? readText(input) : undefined,
    timeZone: hasCron ? readText(input) : '',
    startAt: numberIf(START),
    endAt: numberIf(END),
    maxRuns: numberIf(MAX_RUNS),
    expiresMs: numberIf(EXPIRES),
    jitterMs: undefined,
  };
}
