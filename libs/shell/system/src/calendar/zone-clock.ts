// Clocks of a time zone, by the time-zone database of this Node.
//
// Owns: the spans between two turns of the clocks, by stretches of the time.
// Does not own: what runs when (CronCalendar).
//
// Invariants
//   ZC1  Clocks are turned at whole seconds, and two turns within one day do not cancel out: each day of a stretch is looked at, and
//        where it has another offset than the day before, the second is found by halves.
import type { DurationMs, Millis } from '@flatline/base';
import type { LocalTime } from './cron-expression.ts';

/** A time in which the clocks were not turned, [start, end); another may follow that is the same. */
export interface Span {
  readonly start: Millis;
  readonly end: Millis;
  /** Local time less UTC. */
  readonly offsetMs: DurationMs;
}

/** No clocks are further from UTC (Manila was, by less, until 1844). */
export const OFFSET_MAX_MS = 16 * 3_600_000;
const DAY_MS = 86_400_000;
const STRETCH_DAYS = 32;
const STRETCH_MS = STRETCH_DAYS * DAY_MS;
/** Stretches kept of a zone: those of some years. Each has about 150 bytes. */
const STRETCHES_MAX = 64;
const LAST_INSTANT = 8.64e15;
const ALWAYS: Span = { start: -Infinity, end: Infinity, offsetMs: 0 };
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #stretches = new Map<number, readonly Span[]>();

  /** @throws RangeError where there is no such zone. */
  constructor(name: string) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', hour: 'numeric' });
    this.#format = format.resolvedOptions().timeZone === 'UTC' ? undefined : format;
  }

  spanAt(instant: Millis): Span {
    const format = this.#format;
    if (format === undefined) return ALWAYS;
    const index = Math.floor(instant / STRETCH_MS);
    let spans = this.#stretches.get(index);
    if (spans === undefined) {
      spans = spansOf(index * STRETCH_MS, format);
      if (this.#stretches.size >= STRETCHES_MAX) this.#stretches.clear();
      this.#stretches.set(index, spans);
    }
    return spans.find(({ end }) => instant < end)!;
  }

  /** The latest time that the clocks have shown up to then: later than what they show where they were turned back. */
  latestShown(instant: Millis): LocalTime {
    let latest = -Infinity;
    for (let at = instant; at >= instant - 2 * OFFSET_MAX_MS;) {
      const { start, offsetMs } = this.spanAt(at);
      latest = Math.max(latest, at + offsetMs);
      at = start - 1;
    }
    return latest;
  }

  /** The first instant at which the clocks show that time or a later one. */
  firstShowing(local: LocalTime): Millis {
    for (let from = local - OFFSET_MAX_MS; ;) {
      const { start, end, offsetMs } = this.spanAt(from);
      const at = Math.max(start, local - offsetMs);
      if (at < end) return at;
      from = end;
    }
  }
}

function spansOf(from: Millis, format: Intl.DateTimeFormat): readonly Span[] {
  const spans: Span[] = [];
  let [start, offsetMs] = [from, offsetAt(from, format)];
  for (let day = 1; day <= STRETCH_DAYS; day += 1) {
    const end = from + day * DAY_MS;
    while (offsetAt(end - 1, format) !== offsetMs) {
      // The day before ends with its last second: at midnight of this one they may have been turned.
      const turned = firstOther(Math.max(start, end - DAY_MS - 1_000), end - 1, offsetMs, format);
      spans.push({ start, end: turned, offsetMs });
      [start, offsetMs] = [turned, offsetAt(turned, format)];
    }
  }
  spans.push({ start, end: from + STRETCH_MS, offsetMs });
  return spans;
}

/** The first instant after `from`, which has that offset, and up to `until`, which has not, that has another. */
function firstOther(from: Millis, until: Millis, offsetMs: DurationMs, format: Intl.DateTimeFormat): Millis {
  let [same, other] = [Math.floor(from / 1_000), Math.floor(until / 1_000)];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle * 1_000, format) === offsetMs) same = middle;
    else other = middle;
  }
  return other * 1_000;
}

function offsetAt(instant: Millis, format: Intl.DateTimeFormat): DurationMs {
  const text = format.format(Math.min(Math.max(instant, -LAST_INSTANT), LAST_INSTANT));
  const [, sign, ...parts]: readonly (string | undefined)[] = OFFSET.exec(text) ?? [];
  // `GMT` alone is no offset.
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  return ((hours * 60 + minutes) * 60 + seconds) * (sign === '-' ? -1_000 : 1_000);
}
