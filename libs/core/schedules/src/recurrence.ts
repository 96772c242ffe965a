// When a schedule that recurs is due, and which of its runs are missed (D3).
import { type Calendar, INSTANT_MAX, type Millis } from '@flatline/base';
import type { Specification } from './specification.ts';

export function recurs({ everyMs, cron }: Specification): boolean {
  return everyMs !== undefined || cron !== undefined;
}

/** True if both name the same instants: a schedule that is published again then goes on. */
export function saysTheSame(a: Specification, b: Specification): boolean {
  return (
    a.everyMs === b.everyMs &&
    a.cron === b.cron &&
    a.timeZone === b.timeZone &&
    a.startAt === b.startAt &&
    a.endAt === b.endAt &&
    a.maxRuns === b.maxRuns &&
    a.jitterMs === b.jitterMs
  );
}

export class Recurrence {
  readonly #calendar: Calendar;

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  /** The first instant that is due, of a schedule made at `now`; undefined: there is none. */
  first(when: Specification, now: Millis): Millis | undefined {
    const { everyMs, cron, startAt, endAt } = when;
    let first: Millis | undefined;
    if (cron !== undefined) {
      const after = startAt === undefined ? now : Math.max(startAt, now) - 1;
      first = this.#calendar.next(cron, when.timeZone, after);
    } else if (startAt === undefined) first = now + everyMs!;
    else first = startAt >= now ? startAt : stepped(startAt, everyMs!, now - 1);
    return first === undefined || first > (endAt ?? Infinity) ? undefined : first;
  }

  /** The first instant after `after`, where `dueAt` is one of them; undefined: there is none, or not in time that can be told. */
  next(when: Specification, dueAt: Millis, after: Millis): Millis | undefined {
    const { everyMs, cron, timeZone, endAt = INSTANT_MAX } = when;
    const next = cron === undefined ? stepped(dueAt, everyMs!, after) : this.#calendar.next(cron, timeZone, after);
    return next === undefined || next > endAt ? undefined : next;
  }

  /** The last instant up to `until`, where `dueAt` is the first. */
  latest(when: Specification, dueAt: Millis, until: Millis): Millis {
    const { everyMs, endAt = Infinity } = when;
    const end = Math.min(until, endAt);
    if (everyMs !== undefined) return dueAt + Math.floor((end - dueAt) / everyMs) * everyMs;
    // Halved again and again: between may lie a year of seconds, or nothing but the burst of a day.
    let latest = dueAt;
    for (let noneAfter = end; noneAfter > latest;) {
      const middle = latest + Math.floor((noneAfter - latest) / 2);
      const found = this.next(when, dueAt, middle);
      if (found === undefined || found > end) noneAfter = middle;
      else latest = found;
    }
    return latest;
  }

  /** How many instants lie from `dueAt`, which is one, up to `before`; counted up to `most`. */
  countBefore(when: Specification, dueAt: Millis, before: Millis, most: number): number {
    const { everyMs, endAt = Infinity } = when;
    const end = Math.min(before, endAt + 1);
    if (everyMs !== undefined) return Math.min(most, Math.ceil((end - dueAt) / everyMs));
    let count = 0;
    for (let at: Millis | undefined = dueAt; at !== undefined && at < end && count < most; count += 1)
      at = this.next(when, dueAt, at);
    return count;
  }
}

/** The first of `from`, `from + step`, … after `after`, which is no earlier than `from - 1`. */
function stepped(from: Millis, step: number, after: Millis): Millis {
  return from + (Math.floor((after - from) / step) + 1) * step;
}
