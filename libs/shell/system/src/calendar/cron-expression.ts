// The times that a cron expression names, on a calendar whose clocks are never turned.
//
// A local time is written as the instant at which UTC shows it, in ms.
//
// Invariants
//   CE1  One that names no day of any year is known as such when it is read (`#isNever`). Any other names one within 40 years, the
//        longest time between two 29ths of February that are the same day of the week: so no search is longer.
import type { Millis } from '@flatline/base';
import { type CronFields, fieldsOf, LAST } from './cron-fields.ts';

export type LocalTime = Millis;

/** Months searched (CE1). */
const MONTHS_MAX = 41 * 12;
/** Calendars end with it: a `Date` has no later one that is whole. */
const LAST_YEAR = 275_759;
const SECOND_MS = 1_000;
const DAY_SECONDS = 86_400;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The 1st of January 1970. */
const THURSDAY = 4;

export class CronExpression {
  /** It names each hour: it goes by elapsed time where clocks are turned, any other by the hours that it names (D3). */
  readonly isHourly: boolean;
  readonly #fields: CronFields;
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];
  /** By length and first weekday of a month: the days that match, the 1st as bit 0. */
  readonly #days = new Map<number, number>();
  readonly #isNever: boolean;

  /** @throws NoCron */
  constructor(cron: string) {
    this.#fields = fieldsOf(cron);
    [this.#hours, this.#minutes, this.#seconds] = [
      sorted(this.#fields.hours),
      sorted(this.#fields.minutes),
      sorted(this.#fields.seconds),
    ];
    this.isHourly = this.#hours.length === 24;
    this.#isNever = this.#namesNoDay();
  }

  /** The first that it names after `local`; undefined: there is none. */
  after(local: LocalTime): LocalTime | undefined {
    if (this.#isNever) return undefined;
    const from = Math.floor(local / SECOND_MS) + 1;
    const day = Math.floor(from / DAY_SECONDS);
    const today = this.#dayFrom(day);
    if (today === day) {
      const second = this.#secondFrom(from - day * DAY_SECONDS);
      if (second !== undefined) return (day * DAY_SECONDS + second) * SECOND_MS;
    }
    const next = today === day ? this.#dayFrom(day + 1) : today;
    return next === undefined ? undefined : (next * DAY_SECONDS + this.#secondFrom(0)!) * SECOND_MS;
  }

  /** The first second of the day that is named, from that one on. */
  #secondFrom(second: number): number | undefined {
    const [hour, minute] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60];
    const hours = this.#hours.filter((each) => each >= hour);
    if (hours[0] !== hour) return hours[0] === undefined ? undefined : this.#firstOf(hours[0]);
    const minutes = this.#minutes.filter((each) => each >= minute);
    const ofMinute = minutes[0] === minute ? this.#seconds.find((each) => each >= second % 60) : undefined;
    if (ofMinute !== undefined) return (hour * 60 + minute) * 60 + ofMinute;
    const later = minutes[0] === minute ? minutes[1] : minutes[0];
    if (later !== undefined) return (hour * 60 + later) * 60 + this.#seconds[0]!;
    return hours[1] === undefined ? undefined : this.#firstOf(hours[1]);
  }

  #firstOf(hour: number): number {
    return (hour * 60 + this.#minutes[0]!) * 60 + this.#seconds[0]!;
  }

  /** Days since 1970: the first that matches, from that one on. */
  #dayFrom(day: number): number | undefined {
    const date = new Date(day * DAY_SECONDS * SECOND_MS);
    let [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    let first = day - date.getUTCDate() + 1;
    for (let left = MONTHS_MAX; left > 0 && year <= LAST_YEAR; left -= 1) {
      const length = lengthOf(year, month);
      const days = this.#fields.months.has(month + 1) ? this.#daysOf(length, weekdayOf(first)) : 0;
      const found = days & (-1 << Math.max(0, day - first));
      if (found !== 0) return first + (31 - Math.clz32(found & -found));
      first += length;
      month = (month + 1) % 12;
      if (month === 0) year += 1;
    }
    return undefined;
  }

  #daysOf(length: number, firstWeekday: number): number {
    const name = length * 7 + firstWeekday;
    let days = this.#days.get(name);
    if (days === undefined) {
      days = 0;
      for (let day = 1; day <= length; day += 1)
        if (this.#matches(day, length, (firstWeekday + day - 1) % 7)) days |= 1 << (day - 1);
      this.#days.set(name, days);
    }
    return days;
  }

  #matches(day: number, length: number, weekday: number): boolean {
    const { days, lastDay, weekdays, daysByStar, weekdaysByStar } = this.#fields;
    const isDay = days.has(day) || (lastDay && day === length);
    const which = weekdays[weekday]!;
    const isWeekday = which.has(Math.ceil(day / 7)) || (which.has(LAST) && day + 7 > length);
    return daysByStar || weekdaysByStar ? isDay && isWeekday : isDay || isWeekday;
  }

  #namesNoDay(): boolean {
    for (const month of this.#fields.months)
      for (const length of month === 2 ? [28, 29] : [MONTH_DAYS[month - 1]!])
        for (let weekday = 0; weekday < 7; weekday += 1) if (this.#daysOf(length, weekday) !== 0) return false;
    return true;
  }
}

function sorted(values: ReadonlySet<number>): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

/** `month`: from 0. */
function lengthOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 1 && isLeap ? 29 : MONTH_DAYS[month]!;
}

function weekdayOf(day: number): number {
  return (((day + THURSDAY) % 7) + 7) % 7;
}
