// Reads a cron expression field by field (D3): five of them, or six with seconds first.
//
//   field  = item ("," item)…
//   item   = ("*" | value ["-" value]) ["/" step]
//   value  = a number, or the name of a month or a day
//
// A day of the month may be `L`, the last one, a day of the week `1#2`, the second Monday, or `1L`, the last one. `?` is `*` in
// both. No library reads them: what they leave open (stars with steps, dates, a word more) is what producers get wrong.

export interface CronFields {
  /** Values that it names. */
  readonly seconds: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** From 1. */
  readonly months: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly lastDay: boolean;
  /** By weekday, Sunday being 0: which of the month (1 to 5), or LAST. */
  readonly weekdays: readonly ReadonlySet<number>[];
  /** Begins with a star: then a day must be of both fields, else of either. */
  readonly daysByStar: boolean;
  readonly weekdaysByStar: boolean;
}

/** The last of its weekday in a month. */
export const LAST = 6;
/** The first to the fifth. */
const ANY: readonly number[] = [1, 2, 3, 4, 5];

interface Shape {
  readonly noun: string;
  readonly least: number;
  readonly most: number;
  /** Names of its values, from `least` on. */
  readonly names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const SECOND: Shape = { noun: 'second', least: 0, most: 59 };
const MINUTE: Shape = { noun: 'minute', least: 0, most: 59 };
const HOUR: Shape = { noun: 'hour', least: 0, most: 23 };
const DAY: Shape = { noun: 'day of the month', least: 1, most: 31 };
const MONTH: Shape = { noun: 'month', least: 1, most: 12, names: MONTHS };
/** Sunday is 0 and 7. */
const WEEKDAY: Shape = { noun: 'day of the week', least: 0, most: 7, names: WEEKDAYS };

const ITEM = /^(?:\*|(\w{1,3})(?:-(\w{1,3}))?)(?:\/(\d{1,2}))?$/;
const WHICH = /^([^*]+?)(?:#([1-5])|L)$/i;
const NUMBER = /^\d{1,2}$/;
const STARS = /^[*?]/;

/** @throws NoCron */
export function fieldsOf(cron: string): CronFields {
  const texts = cron.split(/[ \t]+/).filter((text) => text !== '');
  if (texts.length === 5) texts.unshift('0');
  if (texts.length !== 6) throw new NoCron(cron, 'five fields are needed, or six with seconds first');
  const [seconds, minutes, hours, day, months, weekday] = texts as [string, string, string, string, string, string];
  const read = (text: string, shape: Shape): ReadonlySet<number> =>
    new Set(itemsOf(text).flatMap((item) => valuesIn(item, shape, cron)));
  const days = itemsOf(day.replace(/^\?$/, '*'));
  const isLast = (item: string): boolean => item.toUpperCase() === 'L';
  return {
    seconds: read(seconds, SECOND),
    minutes: read(minutes, MINUTE),
    hours: read(hours, HOUR),
    days: new Set(days.flatMap((item) => (isLast(item) ? [] : valuesIn(item, DAY, cron)))),
    lastDay: days.some(isLast),
    months: read(months, MONTH),
    weekdays: weekdaysIn(itemsOf(weekday.replace(/^\?$/, '*')), cron),
    daysByStar: STARS.test(day),
    weekdaysByStar: STARS.test(weekday),
  };
}

/** Refusal of a text that is no cron expression, with the reason. */
export class NoCron extends Error {
  constructor(cron: string, why: string) {
    const hint = cron.includes(':') ? '; a single instant goes into flatline-due-at' : '';
    super(`${cron}: ${why}${hint}`);
  }
}

function itemsOf(text: string): readonly string[] {
  return text.split(',');
}

function weekdaysIn(items: readonly string[], cron: string): readonly ReadonlySet<number>[] {
  const found = WEEKDAYS.map(() => new Set<number>());
  for (const item of items) {
    const which: readonly (string | undefined)[] | null = WHICH.exec(item);
    const values = valuesIn(which?.[1] ?? item, WEEKDAY, cron);
    const ofMonth = which === null ? ANY : [which[2] === undefined ? LAST : Number(which[2])];
    for (const value of values) for (const each of ofMonth) found[value % 7]!.add(each);
  }
  return found;
}

function valuesIn(item: string, shape: Shape, cron: string): readonly number[] {
  const parts: readonly (string | undefined)[] | null = ITEM.exec(item);
  if (parts === null) throw noneOf(item, shape, cron);
  const [, first, last, stepped] = parts;
  const size = shape === WEEKDAY ? 7 : shape.most - shape.least + 1;
  const step = Number(stepped ?? 1);
  if (step < 1 || step > size) throw new NoCron(cron, `the step of ${item} is none of 1 to ${size}`);
  if (first === undefined) return stepping(shape.least, shape.least + size - 1, step);
  if (stepped !== undefined && last === undefined)
    throw new NoCron(cron, `${item} has a step and no range: */${step}, or ${first}-${shape.most}/${step}`);
  const from = valueOf(first, shape);
  let to = last === undefined ? from : valueOf(last, shape);
  // A range that ends with Sunday, by its name.
  if (shape === WEEKDAY && from !== 0 && to === 0 && !NUMBER.test(last!)) to = 7;
  if (from === undefined || to === undefined || from > to) throw noneOf(item, shape, cron);
  return stepping(from, to, step);
}

function stepping(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

function valueOf(text: string, { least, most, names }: Shape): number | undefined {
  if (!NUMBER.test(text)) {
    const named = names?.indexOf(text.toUpperCase()) ?? -1;
    return named < 0 ? undefined : least + named;
  }
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

function noneOf(item: string, { noun, least, most, names }: Shape, cron: string): NoCron {
  const named = names === undefined ? '' : ` or ${names[0]!} to ${names.at(-1)!}`;
  return new NoCron(cron, `"${item}" is no ${noun} (${least} to ${most}${named}, *, ranges, lists, steps)`);
}
