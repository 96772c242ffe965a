// Cron expressions in time zones, by croner and the time-zone database of this Node.
import { type Millis, PartitionStopped } from '@flatline/base';
import type { Calendar } from '@flatline/kinds';
import { Cron } from 'croner';

/** Expressions in use at a time, and names of zones; reading one costs more than the next run. */
const PATTERNS_MAX = 1_024;
const ZONES_MAX = 1_024;
/** Answers kept: keys with one expression are due together, and ask the same. After an outage each asks for a thousand. */
const NEXTS_MAX = 16_384;
/** Five fields, or six with seconds first: no nicknames, years or instants. */
const FIELDS_MIN = 5;
const FIELDS_MAX = 6;
const MODE = '5-or-6-parts';
/** The field of the hours, before those of days and months. */
const EACH_HOUR = /(?:^|\s)0?0-23(?:\s+\S+){3}\s*$/;

export class CronCalendar implements Calendar {
  readonly version: string;
  readonly #patterns = new Map<string, Cron>();
  /** By what was asked. */
  readonly #nexts = new Map<string, Millis | undefined>();
  /** By names as they were written; undefined: there is no such zone. */
  readonly #zones = new Map<string, string | undefined>();

  constructor(tzVersion: string) {
    this.version = tzVersion;
  }

  fault(cron: string, timeZone: string): ReturnType<Calendar['fault']> {
    if (this.#patterns.has(nameOf(cron, timeZone))) return undefined;
    if (this.#zoneOf(timeZone) === undefined)
      return { about: 'time-zone', detail: `there is no time zone ${timeZone}` };
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

  /** @throws PartitionStopped where this Node's database has no such zone: a schedule that was taken by another one must not be passed over. */
  next(cron: string, timeZone: string, after: Millis): Millis | undefined {
    const asked = `${after} ${nameOf(cron, timeZone)}`;
    if (this.#nexts.has(asked)) return this.#nexts.get(asked);
    if (this.#zoneOf(timeZone) === undefined) throw new PartitionStopped(withoutZone(cron, timeZone, this.version));
    const next = this.#pattern(cron, timeZone).nextRun(new Date(after))?.getTime();
    if (this.#nexts.size >= NEXTS_MAX) this.#nexts.clear();
    this.#nexts.set(asked, next);
    return next;
  }

  /** @throws what croner says of an expression that is none. */
  #pattern(cron: string, timeZone: string): Cron {
    const name = nameOf(cron, timeZone);
    const known = this.#patterns.get(name);
    if (known !== undefined) return known;
    // A zone has one form, however it is written: croner keeps what it makes of each, and producers may write it in thousands.
    const timezone = this.#zoneOf(timeZone) ?? timeZone;
    // As Vixie cron tells them apart: a list of hours is fixed, too. Each hour by its number is hourly all the same.
    const fixedTimeRule = EACH_HOUR.test(cron) ? 'single-value' : 'no-wildcard';
    const pattern = new Cron(cron, { timezone, fixedTimeRule, mode: MODE, paused: true });
    if (this.#patterns.size >= PATTERNS_MAX) this.#patterns.clear();
    this.#patterns.set(name, pattern);
    return pattern;
  }

  #zoneOf(name: string): string | undefined {
    if (this.#zones.has(name)) return this.#zones.get(name);
    const zone = zoneOf(name);
    if (this.#zones.size >= ZONES_MAX) this.#zones.clear();
    this.#zones.set(name, zone);
    return zone;
  }
}

function withoutZone(cron: string, timeZone: string, version: string): string {
  const missing = `a schedule runs at ${cron} in the time zone ${timeZone}, which version ${version} of the database lacks`;
  return `${missing}. Nothing is lost: run a Node whose database has it (process.versions.tz), on every instance`;
}

function nameOf(cron: string, timeZone: string): string {
  return `${timeZone} ${cron}`;
}

/** undefined: there is no such zone. */
function zoneOf(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // that is the answer
  }
}
