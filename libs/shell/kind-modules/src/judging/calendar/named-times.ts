// Days and times that a cron expression names, by first principles: the days by asking each of them, the times of a day by counting.
//
// Shares no code with what it judges, nor a library (V).

/** Days and times as UTC shows them: this calendar has no zones. */
export interface NamedTimes {
  /** All 24 hours are among its times. */
  readonly eachHour: boolean;
  /** How many times a day has. */
  readonly count: number;
  /** The one after so many others, in ms of the day. */
  timeAt(index: number): number;
  isDay(date: Date): boolean;
  /** 1 to 12. */
  isMonth(month: number): boolean;
  /** It names no day of any year. */
  readonly isNever: boolean;
}

type Field = readonly [least: number, most: number, names?: string];

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const DAYS = 'sun|mon|tue|wed|thu|fri|sat';
const DAY_MS = 86_400_000;
/** From 2000 on each day of the calendar, the 29th of February among them, is each day of the week within 28 years. */
const ALL_DAYS = Array.from({ length: 28 * 366 }, (_, day) => new Date(Date.UTC(2000, 0, 1 + day)));

/** undefined: it is no expression. */
export function namedTimes(cron: string): NamedTimes | undefined {
  const fields = cron.replace(/^[ \t]+|[ \t]+$/g, '').split(/[ \t]+/);
  if (fields.length !== 5 && fields.length !== 6) return undefined;
  const [second, minute, hour, day, month, weekday] = fields.length === 6 ? fields : ['0', ...fields];
  const [seconds, minutes, hours] = [inOrder(second!, [0, 59]), inOrder(minute!, [0, 59]), inOrder(hour!, [0, 23])];
  const months = inOrder(month!, [1, 12, MONTHS]);
  const days = daysNamed(day!);
  const weekdays = weekdaysNamed(weekday!);
  if (!seconds || !minutes || !hours || !months || !days || !weekdays) return undefined;
  const both = /^[*?]/.test(day!) || /^[*?]/.test(weekday!);
  const isDay: Days = (date) => {
    const [isNamed, isWeekday] = [days(date), weekdays(date)];
    return months.includes(date.getUTCMonth() + 1) && (both ? isNamed && isWeekday : isNamed || isWeekday);
  };
  return {
    eachHour: hours.length === 24,
    count: hours.length * minutes.length * seconds.length,
    timeAt: (index) => {
      const [ofSecond, ofMinute] = [index % seconds.length, Math.floor(index / seconds.length)];
      const ofHour = Math.floor(ofMinute / minutes.length);
      return ((hours[ofHour]! * 60 + minutes[ofMinute % minutes.length]!) * 60 + seconds[ofSecond]!) * 1_000;
    },
    isDay,
    isMonth: (each) => months.includes(each),
    isNever: !ALL_DAYS.some((date) => isDay(date)),
  };
}

type Days = (date: Date) => boolean;

function daysNamed(text: string): Days | undefined {
  const items = text === '?' ? ['*'] : text.split(',');
  const numbers = items.filter((item) => !/^l$/i.test(item));
  const last = numbers.length < items.length;
  const named = numbers.length === 0 ? [] : inOrder(numbers.join(','), [1, 31]);
  return named && ((date) => named.includes(date.getUTCDate()) || (last && monthOf(date, 1) !== monthOf(date, 0)));
}

function weekdaysNamed(text: string): Days | undefined {
  const items = (text === '?' ? '*' : text).split(',').map((item): Days | undefined => {
    const [, plain = item, which] = /^([^*]+?)(#[1-5]|l)$/i.exec(item) ?? [];
    const numbers = numbersIn(plain, [0, 7, DAYS]);
    if (numbers === undefined) return undefined;
    const isOne: Days = (date) => numbers.includes(date.getUTCDay()) || (date.getUTCDay() === 0 && numbers.includes(7));
    if (which === undefined) return isOne;
    // A week before it is the same month for all but the first; a week after it is another one for the last.
    if (/l/i.test(which)) return (date) => isOne(date) && monthOf(date, 7) !== monthOf(date, 0);
    const weeks = Number(which.slice(1));
    return (date) =>
      isOne(date) &&
      monthOf(date, 7 - 7 * weeks) === monthOf(date, 0) &&
      monthOf(date, -7 * weeks) !== monthOf(date, 0);
  });
  return items.includes(undefined) ? undefined : (date) => items.some((isOne) => isOne!(date));
}

function monthOf(date: Date, daysLater: number): number {
  return new Date(date.getTime() + daysLater * DAY_MS).getUTCMonth();
}

function inOrder(text: string, field: Field): readonly number[] | undefined {
  const lists = text.split(',').map((item) => numbersIn(item, field));
  if (lists.includes(undefined)) return undefined;
  const named = new Set(lists.flatMap((list) => list ?? []));
  return Array.from({ length: field[1] + 1 }, (_, value) => value).filter((value) => named.has(value));
}

/** undefined: it is no item of a list. */
function numbersIn(item: string, [least, most, names = '\\d']: Field): readonly number[] | undefined {
  const value = `(\\d\\d?|${names})`;
  const parts: readonly (string | undefined)[] | null = new RegExp(
    `^(?:(\\*)(?:/(\\d\\d?))?|${value}(?:-${value}(?:/(\\d\\d?))?)?)$`,
    'i',
  ).exec(item);
  if (parts === null) return undefined;
  const numberOf = (text: string): number =>
    /\d/.test(text) ? Number(text) : least + names.split('|').indexOf(text.toLowerCase());
  const [, star, starStep, first, last, rangeStep] = parts;
  // Sunday has two numbers: a star means the first.
  const greatest = most === 7 ? 6 : most;
  const from = star === undefined ? numberOf(first!) : least;
  let to = star === undefined ? numberOf(last ?? first!) : greatest;
  if (most === 7 && from > 0 && /^sun$/i.test(last ?? '')) to = 7;
  const step = Number(starStep ?? rangeStep ?? 1);
  if (from < least || to > most || from > to || step < 1 || step > greatest - least + 1) return undefined;
  return Array.from({ length: most + 1 }, (_, each) => each).filter(
    (each) => each >= from && each <= to && (each - from) % step === 0,
  );
}
