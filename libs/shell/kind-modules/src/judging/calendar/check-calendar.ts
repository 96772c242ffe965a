// Calendar of schedules for the checker: cron expressions by first principles (D3), and instants.
//
// Times that an expression names are taken one after the other, and each is asked for when the clocks reach it: the product asks
// what the clocks have shown already. Both read the same time-zone database, and nothing else.
import type { Millis } from '@flatline/base';
import type { FoldCalendar } from '@flatline/oracle/schedule';
import { type NamedTimes, namedTimes } from './named-times.ts';
import { ZonePieces } from './zone-pieces.ts';

/** Last instant that a `Date` can hold. */
const LAST_INSTANT = 8.64e15;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** No clocks are further from UTC. */
const AHEAD_MAX_MS = 960 * MINUTE_MS;
/** Each day of the calendar comes as each day of the week within 40 years. */
const DAYS_MAX = 41 * 366;
/** The last whole year that a `Date` can hold. */
const LAST_YEAR = 275_759;
/** Expressions and zones kept. */
const KEPT_MAX = 512;

export class CheckCalendar implements FoldCalendar {
  readonly version: string;
  readonly #zones = new Map<string, ZonePieces | undefined>();
  readonly #times = new Map<string, NamedTimes | undefined>();

  constructor(version: string) {
    this.version = version;
  }

  isSound(cron: string, timeZone: string): boolean {
    return this.#zoneOf(timeZone) !== undefined && this.#timesOf(cron) !== undefined;
  }

  next(cron: string, timeZone: string, after: Millis): Millis | undefined {
    const [zone, times] = [this.#zoneOf(timeZone), this.#timesOf(cron)];
    if (zone === undefined || times === undefined || times.isNever) return undefined;
    return times.eachHour ? nextShown(times, zone, after) : nextReached(times, zone, after);
  }

  instant(text: string): Millis | undefined {
    const instant = /^\d{1,16}$/.test(text) ? Number(text) : isoInstant(text);
    return instant !== undefined && instant >= 0 && instant <= LAST_INSTANT ? instant : undefined;
  }

  #zoneOf(name: string): ZonePieces | undefined {
    return kept(this.#zones, name, () => {
      try {
        return new ZonePieces(name);
      } catch {
        return undefined; // that is the answer
      }
    });
  }

  #timesOf(cron: string): NamedTimes | undefined {
    return kept(this.#times, cron, () => namedTimes(cron));
  }
}

function kept<Value>(map: Map<string, Value>, name: string, made: () => Value): Value {
  if (!map.has(name)) {
    if (map.size === KEPT_MAX) map.clear();
    map.set(name, made());
  }
  return map.get(name)!;
}

/** With fixed hours: each time counts when the clocks first show it or a later one. */
function nextReached(times: NamedTimes, zone: ZonePieces, after: Millis): Millis | undefined {
  for (const day of daysOf(times, after - 2 * AHEAD_MAX_MS)) {
    const reached = (index: number): Millis => reachedAt(zone, day + times.timeAt(index));
    if (reached(times.count - 1) <= after) continue;
    return reached(firstIndex(times.count, (index) => reached(index) > after));
  }
  return undefined;
}

function reachedAt(zone: ZonePieces, local: Millis): Millis {
  for (let piece = zone.at(local - AHEAD_MAX_MS); ; piece = zone.at(piece.until)) {
    const { from, until, ahead } = piece;
    if (until + ahead > local) return Math.max(from, local - ahead);
  }
}

/** With all hours: each time counts whenever the clocks show it. */
function nextShown(times: NamedTimes, zone: ZonePieces, after: Millis): Millis | undefined {
  const soon = after + 2 * AHEAD_MAX_MS;
  for (let piece = zone.at(after + 1); ;) {
    const { until, ahead } = piece;
    const begin = Math.max(piece.from, after + 1) + ahead;
    const local = firstNamed(times, begin);
    if (local === undefined) return undefined;
    if (local - ahead < until) return local - ahead;
    // Far from here nothing is shown a second time that is earlier than what comes next.
    piece = zone.at(until < soon ? until : Math.max(until, local - AHEAD_MAX_MS));
  }
}

/** At `begin` or later. */
function firstNamed(times: NamedTimes, begin: Millis): Millis | undefined {
  for (const day of daysOf(times, begin)) {
    const index = firstIndex(times.count, (each) => day + times.timeAt(each) >= begin);
    if (index < times.count) return day + times.timeAt(index);
  }
  return undefined;
}

/** Midnights of the days that it names, from the one of that time on. */
function* daysOf(times: NamedTimes, from: Millis): Generator<Millis> {
  const first = Math.floor(from / DAY_MS);
  for (let day = first; day <= first + DAYS_MAX; day += 1) {
    const date = new Date(day * DAY_MS);
    if (!(date.getUTCFullYear() <= LAST_YEAR)) return;
    const month = date.getUTCMonth();
    if (!times.isMonth(month + 1)) day = Date.UTC(date.getUTCFullYear(), month + 1) / DAY_MS - 1;
    else if (times.isDay(date)) yield day * DAY_MS;
  }
}

/** The first of `count` of which it is true, as it is of all that follow; `count`: of none. */
function firstIndex(count: number, isTrue: (index: number) => boolean): number {
  let [from, until] = [0, count];
  while (from < until) {
    const middle = Math.floor((from + until) / 2);
    if (isTrue(middle)) until = middle;
    else from = middle + 1;
  }
  return from;
}

function isoInstant(text: string): Millis | undefined {
  const found: readonly (string | undefined)[] | null = ISO.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number((found[7] ?? '').padEnd(3, '0').slice(0, 3)));
  const east = Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0);
  return date.getTime() - (found[8] === '-' ? -east : east) * MINUTE_MS;
}

type Six = [number, number, number, number, number, number];
