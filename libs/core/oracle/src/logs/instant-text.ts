import type { Millis } from '@flatline/base';

const DAY_MS = 86_400_000;
/** From 1 March of the year 0, where leap days end years, to 1970. */
const DAYS_TO_1970 = 719_468;
const DAYS_OF_400_YEARS = 146_097;

/** ISO 8601, UTC, of the years from 0 to 9999. */
export function instantText(at: Millis): string {
  const days = Math.floor(at / DAY_MS) + DAYS_TO_1970;
  const era = Math.floor(days / DAYS_OF_400_YEARS);
  const dayOfEra = days - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / (DAYS_OF_400_YEARS - 1));
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // March is 0. Months of 31 and 30 days alternate in fives of 153 days.
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = ((monthFromMarch + 2) % 12) + 1;
  const year = 400 * era + yearOfEra + Number(month <= 2);
  return `${digits(year, 4)}-${digits(month)}-${digits(day)}T${timeText(at - Math.floor(at / DAY_MS) * DAY_MS)}Z`;
}

function timeText(ms: number): string {
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map(Math.floor);
  return `${digits(hours!)}:${digits(minutes!)}:${digits(seconds!)}.${digits(ms % 1_000, 3)}`;
}

function digits(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}
