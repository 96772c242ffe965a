// Cron expressions in time zones, by the time-zone database of this Node (D3).
//
// An expression that names each of the 24 hours, however it is written, runs whenever the clocks show one of its times. Any other
// has fixed hours: each time that it names is run for once, at the first instant at which the clocks show it or a later one. So
// what does not exist runs right after the gap, and what comes twice runs the first time.
//
// Owns: expressions and zones that were read.
// Does not own: which instants are due (Recurrence).
import { assert, type Calendar, type DurationMs, type Millis } from '@flatline/base';
import { CronExpression, type LocalTime } from './cron-expression.ts';
import { NoCron } from './cron-fields.ts';
import { OFFSET_MAX_MS, ZoneClock } from './zone-clock.ts';

/** Expressions and names of zones in use at a time: reading one costs more than its next run. */
const EXPRESSIONS_MAX = 1_024;
const ZONES_MAX = 1_024;
/** Longest time after which clocks may show a time again. */
const SHOWN_AGAIN_MS: DurationMs = 2 * OFFSET_MAX_MS;

export class CronCalendar implements Calendar {
  readonly version: string;
  /** By their text; a text: why there is no such expression. */
  readonly #expressions = new Map<string, CronExpression | string>();
  /** By names as they were written; undefined: there is no such zone. */
  readonly #zones = new Map<string, ZoneClock | undefined>();

  constructor(tzVersion: string) {
    this.version = tzVersion;
  }

  fault(cron: string, timeZone: string): ReturnType<Calendar['fault']> {
    if (this.#zoneOf(timeZone) === undefined)
      return { about: 'time-zone', detail: `there is no time zone ${timeZone}` };
    const expression = this.#expressionOf(cron);
    return typeof expression === 'string' ? { about: 'cron', detail: expression } : undefined;
  }

  next(cron: string, timeZone: string, after: Millis): Millis | undefined {
    const [expression, zone] = [this.#expressionOf(cron), this.#zoneOf(timeZone)];
    assert(typeof expression !== 'string' && zone !== undefined, 'only what has no fault is reckoned', {
      cron,
      timeZone,
    });
    return expression.isHourly ? nextShown(expression, zone, after) : nextFixed(expression, zone, after);
  }

  #expressionOf(cron: string): CronExpression | string {
    const known = this.#expressions.get(cron);
    if (known !== undefined) return known;
    const read = expressionOf(cron);
    if (this.#expressions.size >= EXPRESSIONS_MAX) this.#expressions.clear();
    this.#expressions.set(cron, read);
    return read;
  }

  #zoneOf(name: string): ZoneClock | undefined {
    if (this.#zones.has(name)) return this.#zones.get(name);
    // A zone has one clock, however it is written: producers may write it in thousands of ways.
    const own = zoneNamed(name);
    const isAlias = own !== undefined && own !== name;
    const zone = isAlias ? this.#zoneOf(own) : own === undefined ? undefined : new ZoneClock(own);
    if (this.#zones.size >= ZONES_MAX) this.#zones.clear();
    this.#zones.set(name, zone);
    return zone;
  }
}

function nextFixed(expression: CronExpression, zone: ZoneClock, after: Millis): Millis | undefined {
  const named = expression.after(zone.latestShown(after));
  return named === undefined ? undefined : zone.firstShowing(named);
}

function nextShown(expression: CronExpression, zone: ZoneClock, after: Millis): Millis | undefined {
  for (let from = after + 1; ;) {
    const { end, offsetMs } = zone.spanAt(from);
    const named: LocalTime | undefined = expression.after(from + offsetMs - 1);
    if (named === undefined) return undefined;
    if (named - offsetMs < end) return named - offsetMs;
    // On to shortly before what is named; within SHOWN_AGAIN_MS each span is looked at, as clocks turned back show times again.
    from = end <= after + SHOWN_AGAIN_MS ? end : Math.max(end, named - OFFSET_MAX_MS);
  }
}

function expressionOf(cron: string): CronExpression | string {
  try {
    return new CronExpression(cron);
  } catch (error) {
    if (error instanceof NoCron) return error.message;
    throw error;
  }
}

/** How the database calls it; undefined: there is no such zone. */
function zoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // that is the answer
  }
}
