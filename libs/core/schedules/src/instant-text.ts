// An instant as a header says it: milliseconds since the epoch, or ISO 8601 with a zone.
import { INSTANT_MAX, type Millis } from '@flatline/base';

const MILLIS = /^\d{1,16}$/;
const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAY_MS = 86_400_000;

/** undefined: it is none, or before 1970. */
export function instantOf(text: string): Millis | undefined {
  const instant = MILLIS.test(text) ? Number(text) : isoInstant(text);
  return instant !== undefined && instant >= 0 && instant <= INSTANT_MAX ? instant : undefined;
}

/** undefined: it is none. */
export function isoInstant(text: string): Millis | undefined {
  const found: readonly (string | undefined)[] | null = ISO.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const [zoneHours, zoneMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const ms = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  const east = (found[8] === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  return daysSinceEpoch(year, month, day) * DAY_MS + ((hour * 60 + minute - east) * 60 + second) * 1_000 + ms;
}

type Six = [number, number, number, number, number, number];

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : MONTH_DAYS[month - 1]!;
}

/** By the Gregorian calendar, in years that begin in March, so that the leap day is the last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + ofYear - 719_468;
}
