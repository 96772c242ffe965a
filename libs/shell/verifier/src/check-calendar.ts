// What schedules go by, for the checker: cron expressions by the library alone, not by the product's use of it, and instants.
import type { Millis } from '@flatline/base';
import type { FoldCalendar } from '@flatline/oracle';
import { Cron } from 'croner';

/** What a `Date` can hold. */
const LAST_INSTANT = 8.64e15;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const MINUTE_MS = 60_000;

export class CheckCalendar implements FoldCalendar {
  readonly version: string;
  /** The last expression that was asked for: runs of one come in a row. */
  #last: { readonly name: string; readonly cron: Cron | undefined } | undefined;

  constructor(version: string) {
    this.version = version;
  }

  isSound(cron: string, timeZone: string): boolean {
    const fields = cron.trim().split(/\s+/).length;
    return (fields === 5 || fields === 6) && this.#cron(cron, timeZone) !== undefined;
  }

  next(cron: string, timeZone: string, after: Millis): Millis | undefined {
    return this.#cron(cron, timeZone)?.nextRun(new Date(after))?.getTime();
  }

  instant(text: string): Millis | undefined {
    const instant = /^\d{1,16}$/.test(text) ? Number(text) : isoInstant(text);
    return instant !== undefined && instant >= 0 && instant <= LAST_INSTANT ? instant : undefined;
  }

  #cron(cron: string, timeZone: string): Cron | undefined {
    const name = `${timeZone} ${cron}`;
    if (this.#last?.name !== name) this.#last = { name, cron: cronOf(cron, timeZone) };
    return this.#last.cron;
  }
}

function cronOf(cron: string, timeZone: string): Cron | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return new Cron(cron, { timezone: timeZone, mode: '5-or-6-parts', paused: true });
  } catch {
    return undefined; // that is the answer
  }
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
