// Cron expressions in time zones, by croner and the time-zone database of this Node.
import type { Millis } from '@flatline/base';
import type { Calendar } from '@flatline/kinds';
import { Cron } from 'croner';

/** Expressions in use at a time; reading one costs more than the next run. */
const PATTERNS_MAX = 1_024;
/** Five fields, or six with seconds first: no nicknames, years or instants. */
const FIELDS_MIN = 5;
const FIELDS_MAX = 6;
const MODE = '5-or-6-parts';

export class CronCalendar implements Calendar {
  readonly version: string;
  readonly #patterns = new Map<string, Cron>();

  constructor(tzVersion: string) {
    this.version = tzVersion;
  }

  fault(cron: string, timeZone: string): ReturnType<Calendar['fault']> {
    if (this.#patterns.has(nameOf(cron, timeZone))) return undefined;
    if (!isTimeZone(timeZone)) return { about: 'time-zone', detail: `there is no time zone ${timeZone}` };
    const fields = cron.trim().split(/\s+/).length;
    if (fields < FIELDS_MIN || fields > FIELDS_MAX)
      return { about: 'cron', detail: `${cron}: five fields are needed, or six with seconds first` };
    try {
      this.#pattern(cron, timeZone);
      return undefined;
    } catch (error) {
      return { about: 'cron', detail: `${cron}: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  next(cron: string, timeZone: string, after: Millis): Millis | undefined {
    return this.#pattern(cron, timeZone).nextRun(new Date(after))?.getTime();
  }

  /** @throws what croner says of an expression that is none. */
  #pattern(cron: string, timeZone: string): Cron {
    const name = nameOf(cron, timeZone);
    const known = this.#patterns.get(name);
    if (known !== undefined) return known;
    const pattern = new Cron(cron, { timezone: timeZone, mode: MODE, paused: true });
    if (this.#patterns.size >= PATTERNS_MAX) this.#patterns.clear();
    this.#patterns.set(name, pattern);
    return pattern;
  }
}

function nameOf(cron: string, timeZone: string): string {
  return `${timeZone} ${cron}`;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false; // that is the answer
  }
}
