// When clocks are turned, found by asking what they show every few hours, and then by halves.
//
// Shares no code with what it judges (V).
import type { DurationMs, Millis } from '@flatline/base';

/** From then until then the clocks show so much more than UTC. */
export interface Piece {
  readonly from: Millis;
  readonly until: Millis;
  readonly ahead: DurationMs;
}

const HOUR_MS = 3_600_000;
/** Clocks are not turned twice within it. */
const LOOK_MS = 6 * HOUR_MS;
/** Looked through at once. */
const SHEET_MS = 720 * HOUR_MS;
/** Sheets kept. */
const SHEETS_MAX = 240;
const LAST_INSTANT = 8.64e15;

export class ZonePieces {
  readonly #shown: Intl.DateTimeFormat;
  readonly #sheets = new Map<number, readonly Piece[]>();

  /** @throws RangeError where there is no such zone. */
  constructor(timeZone: string) {
    this.#shown = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The one that `instant` lies in. */
  at(instant: Millis): Piece {
    const number = Math.floor(instant / SHEET_MS);
    let sheet = this.#sheets.get(number);
    if (sheet === undefined) {
      if (this.#sheets.size === SHEETS_MAX) this.#sheets.clear();
      sheet = this.#look(number * SHEET_MS);
      this.#sheets.set(number, sheet);
    }
    return sheet.findLast(({ from }) => from <= instant)!;
  }

  #look(begin: Millis): readonly Piece[] {
    const pieces: Piece[] = [];
    let from = begin;
    for (let until = begin + LOOK_MS; until <= begin + SHEET_MS; until += LOOK_MS) {
      const [before, after] = [this.#ahead(from), this.#ahead(until)];
      if (before === after && until < begin + SHEET_MS) continue;
      let turned = until;
      for (let same = until - LOOK_MS; before !== after && turned - same > 1_000;) {
        const middle = same + Math.floor((turned - same) / 2_000) * 1_000;
        if (this.#ahead(middle) === before) same = middle;
        else turned = middle;
      }
      pieces.push({ from, until: turned, ahead: before });
      if (turned < until && until === begin + SHEET_MS) pieces.push({ from: turned, until, ahead: after });
      from = turned;
    }
    return pieces;
  }

  #ahead(instant: Millis): DurationMs {
    const asked = Math.min(instant, LAST_INSTANT);
    const [month, day, year, ...time] = this.#shown.format(asked).match(/\d+/g)!.map(Number);
    const [hour, minute, second] = time;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(asked / 1_000) * 1_000;
  }
}
