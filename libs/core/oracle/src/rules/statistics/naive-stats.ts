// Statistics of sessions by the rules (S12): what has happened at which instant, kept until its windows are over, and added up then.
//
// Shares no code with what it judges.
import type { DurationMs, Millis } from '@flatline/base';
import type { StatsRules } from '../../logs/history.ts';
import { isBelow, type Positions } from '../../logs/places.ts';
import { binIn, exactSketch, formerSketch } from './exact-sketch.ts';

/** A record that `<output>.stats` must have. */
export interface ExpectedStats {
  /** Its key. */
  readonly key: string;
  /** Named as in docs/FORMATS.md. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Their sketch where it is a former one (K9). */
  readonly formerSketch: Uint8Array;
}

type Attributes = ReadonlyMap<string, string>;
type Label = readonly string[];

/** At `at` so many more of the label are open. */
interface Change {
  readonly at: Millis;
  readonly name: string;
  readonly by: number;
}

interface Close {
  readonly at: Millis;
  readonly reason: string;
  readonly ms: DurationMs;
}

interface Cell {
  readonly label: Label;
  opened: number;
  /** Closes that may still be taken back. */
  readonly closes: Set<Close>;
  /** The sum of all others. */
  readonly byReason: Map<string, number>;
  readonly bins: Map<number, number>;
  zeros: number;
  sum: bigint;
  min: DurationMs | null;
  max: DurationMs | null;
}

interface Window {
  readonly start: Millis;
  readonly end: Millis;
  readonly cells: Map<string, Cell>;
}

const OTHER = 'other';
const VALUE_LENGTH_MAX = 64;
const REASONS = ['TIMEOUT', 'ENDED', 'MAX_DURATION', 'EVICTED'];

export class NaiveStats {
  readonly #partition: number;
  #rules: StatsRules | undefined;
  /** Sessions of records from here on count, and the clock of then. */
  #since: Positions = [];
  #begunAt: Millis = 0;
  #overTo: Millis = 0;
  #places: Set<string>[] = [];
  /** By length and beginning of the window, then by name of the label. */
  #windows = new Map<string, Window>();
  #changes: Change[] = [];
  /** By name of a label, those that were open when the last window was over. */
  #open = new Map<string, number>();
  #expected: ExpectedStats[] = [];
  /** True if a record was counted by a clock that only the present of then could tell (C6). */
  isUnsure = false;

  constructor(partition: number, rules: StatsRules | undefined) {
    this.#partition = partition;
    this.#begin(rules, [], 0);
  }

  /**
   * Other settings are in force from these input positions on. `settledTo`: as the last commit says. Where its clock is that of a record
   * which is not applied, no log tells which windows were over by then: what closes by the new settings as of an instant before
   * counts in the next. True if it begins from nothing.
   */
  adopt(
    rules: StatsRules | undefined,
    { from, clock, settledTo }: { readonly from: Positions; readonly clock: Millis; readonly settledTo: Millis },
  ): boolean {
    this.#overTo = Math.max(this.#overTo, settledTo);
    if (JSON.stringify(rules) === JSON.stringify(this.#rules)) return false;
    this.#begin(rules, from, clock);
    return true;
  }

  get counts(): boolean {
    return this.#rules !== undefined;
  }

  #begin(rules: StatsRules | undefined, from: Positions, clock: Millis): void {
    this.#rules = rules;
    this.#since = from;
    this.#begunAt = clock;
    this.#overTo = rules === undefined ? 0 : floored(clock, Math.min(...rules.windows));
    this.#places = rules?.dimensions.map(() => new Set<string>()) ?? [];
    this.#windows = new Map();
    this.#changes = [];
    this.#open = new Map();
  }

  takeExpected(): ExpectedStats[] {
    const expected = this.#expected;
    this.#expected = [];
    return expected;
  }

  opened(attributes: Attributes, clock: Millis): void {
    if (this.#rules === undefined) return;
    const label = this.#labelOf(attributes, true);
    this.#changes.push({ at: clock, name: nameOf(label), by: 1 });
    for (const cell of this.#cellsAt(clock, label)) cell.opened += 1;
  }

  /** A record has changed what is said of a session that began at `place`. */
  changed(place: number, before: Attributes, after: Attributes, clock: Millis): void {
    if (this.#rules === undefined || isBelow(place, this.#since)) return;
    const from = this.#labelOf(before, false);
    const to = this.#labelOf(after, true);
    if (nameOf(from) === nameOf(to)) return;
    this.#changes.push({ at: clock, name: nameOf(from), by: -1 }, { at: clock, name: nameOf(to), by: 1 });
    this.#cellsAt(clock, from);
    this.#cellsAt(clock, to);
  }

  /** The session is open no more, and no close says so: it was erased (E1), or another has absorbed it (C7). */
  gone(place: number, attributes: Attributes, clock: Millis): void {
    if (this.#rules === undefined || isBelow(place, this.#since)) return;
    const label = this.#labelOf(attributes, false);
    this.#changes.push({ at: clock, name: nameOf(label), by: -1 });
    this.#cellsAt(clock, label);
  }

  /** Returns what takes it back. */
  closed(place: number, summary: ReadonlyMap<string, unknown>): () => void {
    if (this.#rules === undefined || isBelow(place, this.#since)) return () => undefined;
    const label = this.#labelOf(summary.get('attributes') as Attributes, false);
    const at = Math.max(Number(summary.get('closedAt')), this.#overTo);
    const change = { at, name: nameOf(label), by: -1 };
    const close = { at, reason: String(summary.get('reason')), ms: Number(summary.get('durationMs')) };
    const cells = this.#cellsAt(at, label);
    this.#changes.push(change);
    for (const { closes } of cells) closes.add(close);
    return () => {
      this.#changes = this.#changes.filter((each) => each !== change);
      for (const { closes } of cells) closes.delete(close);
      this.#dropEmpty();
    };
  }

  /** A record is about to be applied by that clock: windows that end up to it are over, and said. */
  over(clock: Millis): void {
    if (this.#rules === undefined) return;
    for (const [name, { start, end, cells }] of this.#upTo(clock)) {
      this.#windows.delete(name);
      this.#openUpTo(end);
      for (const cell of cells.values()) {
        addUp(cell, end);
        this.#expected.push(this.#expect(cell, { start, end }, this.#open));
      }
    }
    const overTo = floored(clock, Math.min(...this.#rules.windows));
    if (overTo <= this.#overTo) return;
    // Nothing that happened before it is taken back.
    this.#overTo = overTo;
    this.#openUpTo(overTo);
    for (const { cells } of this.#windows.values()) for (const cell of cells.values()) addUp(cell, overTo);
  }

  /** Tells of windows that only the clock has passed, by a record that is not applied yet, if they are told already. */
  mayBeSaid(clock: Millis): ExpectedStats[] {
    if (this.#rules === undefined) return [];
    return this.#upTo(clock).flatMap(([, { start, end, cells }]) => {
      const open = new Map(this.#open);
      for (const { at, name, by } of this.#changes) if (at < end) open.set(name, (open.get(name) ?? 0) + by);
      return [...cells.values()].map((cell) => {
        const copy = copyOf(cell);
        addUp(copy, end);
        return this.#expect(copy, { start, end }, open);
      });
    });
  }

  #upTo(clock: Millis): [string, Window][] {
    return [...this.#windows].filter(([, { end }]) => end <= clock).sort(([, a], [, b]) => a.end - b.end);
  }

  #openUpTo(end: Millis): void {
    for (const { at, name, by } of this.#changes) if (at < end) this.#open.set(name, (this.#open.get(name) ?? 0) + by);
    this.#changes = this.#changes.filter(({ at }) => at >= end);
  }

  #expect(
    cell: Cell,
    { start: windowStart, end: windowEnd }: Pick<Window, 'start' | 'end'>,
    open: ReadonlyMap<string, number>,
  ): ExpectedStats {
    const { label, opened, byReason, zeros, bins, sum, min, max } = cell;
    const dimensions = Object.fromEntries(this.#rules!.dimensions.map(({ name }, at) => [name, label[at]]));
    const count = [...byReason.values()].reduce((total, each) => total + each, 0);
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const sketch = exactSketch(zeros, bins);
    return {
      key: JSON.stringify([windowStart, windowEnd, dimensions]),
      fields: {
        windowStart,
        windowEnd,
        countedFrom: Math.max(windowStart, this.#begunAt),
        dimensions,
        opened,
        closed: count,
        byReason: Object.fromEntries(REASONS.map((reason) => [reason, byReason.get(reason) ?? 0])),
        active: open.get(nameOf(label)) ?? 0,
        duration: { count, sum: Number(sum > most ? most : sum), min, max, sketch },
        partition: this.#partition,
      },
      formerSketch: formerSketch(zeros, bins),
    };
  }

  #cellsAt(at: Millis, label: Label): Cell[] {
    return this.#rules!.windows.map((ms) => {
      const start = floored(at, ms);
      const name = `${ms} ${start}`;
      const window = this.#windows.get(name) ?? { start, end: start + ms, cells: new Map<string, Cell>() };
      this.#windows.set(name, window);
      const cell = window.cells.get(nameOf(label)) ?? newCell(label);
      window.cells.set(nameOf(label), cell);
      return cell;
    });
  }

  /** Its count there was taken back; a change of attributes alone leaves nothing else behind. */
  #dropEmpty(): void {
    for (const [name, { start, end, cells }] of this.#windows) {
      for (const [label, { opened, closes, byReason }] of cells) {
        const isChanged = this.#changes.some(
          (change) => change.name === label && change.at >= start && change.at < end,
        );
        if (opened === 0 && closes.size === 0 && byReason.size === 0 && !isChanged) cells.delete(label);
      }
      if (cells.size === 0) this.#windows.delete(name);
    }
  }

  #labelOf(attributes: Attributes, takesPlaces: boolean): Label {
    return this.#rules!.dimensions.map(({ attribute, max }, at) => {
      const value = attributes.get(attribute) ?? '';
      const places = this.#places[at]!;
      if (value === '' || places.has(value)) return value;
      if (!takesPlaces || places.size >= max || value.length > VALUE_LENGTH_MAX) return OTHER;
      places.add(value);
      return value;
    });
  }
}

function newCell(label: Label): Cell {
  const nothing = { opened: 0, zeros: 0, sum: 0n, min: null, max: null };
  return { label, closes: new Set(), byReason: new Map(), bins: new Map(), ...nothing };
}

function copyOf(cell: Cell): Cell {
  const { closes, byReason, bins } = cell;
  return { ...cell, closes: new Set(closes), byReason: new Map(byReason), bins: new Map(bins) };
}

/** Adds up what has closed before `end`. */
function addUp(cell: Cell, end: Millis): void {
  for (const close of cell.closes) {
    const { at, reason, ms } = close;
    if (at >= end) continue;
    cell.closes.delete(close);
    cell.byReason.set(reason, (cell.byReason.get(reason) ?? 0) + 1);
    cell.sum += BigInt(ms);
    cell.min = Math.min(ms, cell.min ?? ms);
    cell.max = Math.max(ms, cell.max ?? ms);
    if (ms === 0) cell.zeros += 1;
    else cell.bins.set(binIn(ms), (cell.bins.get(binIn(ms)) ?? 0) + 1);
  }
}

function nameOf(label: Label): string {
  return JSON.stringify(label);
}

function floored(at: Millis, ms: DurationMs): Millis {
  return at - (at % ms);
}
