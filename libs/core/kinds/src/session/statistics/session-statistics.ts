// Statistics of sessions as a stream (S12).
//
// Owns: what is counted in the windows that are not over, which values of a dimension have a place, how many sessions are open.
// Does not own: sessions (the engine), when all that is due in a window has taken effect (the engine says so).
//
// Whatever closes does so in the window that the clock is in, since the engine lets nothing later take effect before a window is
// passed: so there is one window of each length, and none can be final too soon. A close as of an instant before it, as by a
// shorter maximum duration after a start, counts in the window that is not over.
//
// Values get their places from records, in the order of the log, and keep them: what a session counts as while it is open
// depends on its attributes alone, and is found again after a restart.
import {
  assert,
  ByteReader,
  ByteWriter,
  CHANGELOG_FORMAT_WITH_KEPT,
  CHANGELOG_FORMAT_WITH_PACKED_SKETCHES,
  type DurationMs,
  MalformedBytes,
  type Millis,
} from '@flatline/base';
import type { SessionEvent, SessionSummary } from '@flatline/ports/formats';
import type { Effects, Kept, KeptBytes } from '../../contract.ts';
import { inputAt, offsetAt } from '../../input-place.ts';
import type { ShownEntry } from '../../shown-entry.ts';
import { OTHER, type StatisticsRules, VALUE_LENGTH_MAX } from './statistics-rules.ts';
import type { SketchForm } from './sketch-bytes.ts';
import { shownWindow } from './shown-window.ts';
import { type FinalCell, sayCell, type StatisticsVoice } from './statistics-voice.ts';
import { WindowCell } from './window-cell.ts';

/** A value for each dimension. */
type Label = readonly string[];

/** A session's part in statistics: a part of its entry. */
interface CountedSession {
  readonly firstOffset: number;
  readonly detail: { readonly texts: { attributeValues(): ReadonlyMap<string, string> } | undefined } | undefined;
}

interface StatisticsParts {
  readonly partition: number;
  /** How sketches are written; both forms are read. */
  readonly sketches: SketchForm;
  /** The open sessions of the entry in the window. */
  readonly open: () => readonly CountedSession[];
}

/** The counts of a key's open sessions, by the places at which they began. */
export type Standing = ReadonlyMap<number, Label>;

type Cells = Map<string, WindowCell>;

/** Value of a session without the attribute; takes no place. */
const NO_VALUE = '';
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

export class SessionStatistics implements Kept {
  readonly #rules: StatisticsRules;
  readonly #voice: StatisticsVoice;
  readonly #partition: number;
  readonly #sketches: SketchForm;
  readonly #open: () => readonly CountedSession[];
  readonly #shortestMs: DurationMs;
  /** The rules, as text: by others it begins from nothing. */
  readonly #text: string;
  /** Sessions that a record from these positions on opened count. */
  #since: readonly number[] = [];
  /** The clock of then. */
  #begunAt: Millis = 0;
  /** All windows that end here or before are over. A multiple of the shortest one's length. */
  #passedTo: Millis = 0;
  /** For each dimension the values that have a place, in the order in which they came. */
  #values: Set<string>[];
  /** For each length. */
  #windows: Cells[];
  /** The newest window of each length that is over, by length: said since the last cut, said by then, and in the log. */
  #said = new Map<DurationMs, ShownEntry>();
  #cut: ReadonlyMap<DurationMs, ShownEntry> = new Map();
  #committed: ReadonlyMap<DurationMs, ShownEntry> = new Map();
  /** By name of a label, where there are any. */
  readonly #active = new Map<string, number>();

  constructor(rules: StatisticsRules, voice: StatisticsVoice, { partition, sketches, open }: StatisticsParts) {
    this.#rules = rules;
    this.#voice = voice;
    this.#partition = partition;
    this.#sketches = sketches;
    this.#open = open;
    this.#shortestMs = rules.windows[0]!;
    this.#text = JSON.stringify([
      rules.windows,
      rules.dimensions.map(({ name, attribute, max }) => [name, attribute, max]),
    ]);
    this.#values = rules.dimensions.map(() => new Set());
    this.#windows = rules.windows.map((): Cells => new Map());
  }

  /** A record has opened the session, and is applied. */
  opened(entry: CountedSession): void {
    const label = this.#labelOf(attributesOf(entry), true);
    this.#move(label, 1);
    this.#count(label, (cell) => {
      cell.opened += 1;
    });
  }

  /** As what the session counts before the event is applied, for `moved`; undefined: the event changes nothing of that. */
  standing(entry: CountedSession, { attributes }: SessionEvent): Label | undefined {
    if (attributes === undefined || this.#rules.dimensions.length === 0 || !this.#counts(entry)) return undefined;
    return this.#labelOf(attributesOf(entry), false);
  }

  /** The event is applied. */
  moved(entry: CountedSession, before: Label): void {
    const after = this.#labelOf(attributesOf(entry), true);
    if (after.every((value, at) => value === before[at])) return;
    this.#move(before, -1);
    this.#move(after, 1);
    // Both are said, for what is active in them.
    this.#count(before, () => undefined);
    this.#count(after, () => undefined);
  }

  /** Returns the counts of these open sessions of a key, before a record is applied by its time (C7), for `became`. */
  standingOf(sessions: readonly CountedSession[]): Standing {
    const counted = sessions.filter((session) => this.#counts(session));
    return new Map(
      counted.map((session) => [session.firstOffset, this.#labelOf(attributesOf(session), false)] as const),
    );
  }

  /** The record is applied, and these are open: one may have opened, or changed, or absorbed others, which are open no more. */
  became(before: Standing, after: readonly CountedSession[]): void {
    const left = new Map(before);
    for (const session of after) {
      const was = left.get(session.firstOffset);
      left.delete(session.firstOffset);
      if (was !== undefined) this.moved(session, was);
      else if (this.#counts(session)) this.opened(session);
    }
    for (const label of left.values()) this.#goes(label);
  }

  closed(entry: Pick<CountedSession, 'firstOffset'>, { attributes, reason, durationMs }: SessionSummary): void {
    assert(reason !== '', 'a session that has closed says why');
    if (!this.#counts(entry)) return;
    const label = this.#labelOf(attributes, false);
    this.#move(label, -1);
    this.#count(label, (cell) => {
      cell.close(reason, durationMs);
    });
  }

  /** The open sessions of the entry in the window go, and no close says so (E1). */
  erased(): void {
    for (const label of this.standingOf(this.#open()).values()) this.#goes(label);
  }

  #goes(label: Label): void {
    this.#move(label, -1);
    // Said, for what is active in it.
    this.#count(label, () => undefined);
  }

  /** True if the session was opened since counting began. Early data is none yet (S8). */
  #counts({ firstOffset }: Pick<CountedSession, 'firstOffset'>): boolean {
    return firstOffset >= 0 && offsetAt(firstOffset) >= this.#since[inputAt(firstOffset)]!;
  }

  // Called by the engine.

  get passesAt(): Millis {
    return this.#passedTo + this.#shortestMs;
  }

  get dueAt(): Millis {
    const ends = this.#rules.windows.map((ms, at) => (this.#windows[at]!.size === 0 ? Infinity : this.#endOf(ms)));
    return Math.min(...ends);
  }

  next(clock: Millis, earliestDue: Millis): Millis | undefined {
    const ms = this.#shortestMs;
    const behindDue = floorTo(Math.max(this.#passedTo, Math.min(earliestDue, clock)), ms) + ms;
    const at = Math.min(behindDue, this.dueAt);
    const isOver = at > clock;
    // Nothing takes effect and nothing is said in what is passed over.
    this.#passedTo = isOver ? floorTo(clock, ms) : at - ms;
    return isOver ? undefined : at;
  }

  pass(at: Millis, effects: Effects): void {
    this.#rules.windows.forEach((ms, index) => {
      const end = this.#endOf(ms);
      if (end > at) return;
      this.#say(index, { windowStart: end - ms, windowEnd: end }, effects);
      this.#windows[index] = new Map();
    });
    this.#passedTo = at;
  }

  restored(): void {
    for (const label of this.standingOf(this.#open()).values()) this.#move(label, 1);
  }

  begin(bytes: Uint8Array | undefined, clock: Millis, positions: readonly number[]): void {
    if (bytes !== undefined && this.#read(new ByteReader(bytes), positions.length)) return;
    this.#since = positions;
    this.#begunAt = clock;
    this.#passedTo = floorTo(clock, this.#shortestMs);
  }

  shown(): readonly ShownEntry[] {
    return [...this.#committed.values()];
  }

  bytes(): KeptBytes {
    this.#cut = new Map([...this.#cut, ...this.#said]);
    this.#said = new Map();
    const out = new ByteWriter(256);
    let leastVersion = CHANGELOG_FORMAT_WITH_KEPT;
    out.text(this.#text);
    const [sinceOnFirst, ...sinceOnFurther] = this.#since;
    for (const number of [sinceOnFirst!, this.#begunAt, this.#passedTo, ...sinceOnFurther]) out.varint(number);
    for (const values of this.#values) {
      out.varint(values.size);
      for (const value of values) out.text(value);
    }
    for (const cells of this.#windows) {
      out.varint(cells.size);
      for (const [name, cell] of inOrder(cells)) {
        for (const value of labelIn(name)) out.text(value);
        if (cell.write(out, this.#sketches) === 'packed') leastVersion = CHANGELOG_FORMAT_WITH_PACKED_SKETCHES;
      }
    }
    return { bytes: out.copy(), leastVersion };
  }

  committed(): void {
    this.#committed = this.#cut;
  }

  /** False: it was written by other rules. @throws MalformedBytes */
  #read(input: ByteReader, inputs: number): boolean {
    if (input.text() !== this.#text) return false;
    const sinceOnFirst = input.varint();
    this.#begunAt = input.varint();
    this.#passedTo = input.varint();
    this.#since = [sinceOnFirst, ...Array.from({ length: inputs - 1 }, () => input.varint())];
    this.#values = this.#rules.dimensions.map(() => {
      const values = new Set<string>();
      for (let left = input.varint(); left > 0; left -= 1) values.add(input.text());
      return values;
    });
    this.#windows = this.#rules.windows.map(() => {
      const cells: Cells = new Map();
      for (let left = input.varint(); left > 0; left -= 1) {
        const name = nameOf(this.#rules.dimensions.map(() => input.text()));
        cells.set(name, WindowCell.read(input));
      }
      return cells;
    });
    if (input.remaining > 0) throw new MalformedBytes(`${input.remaining} bytes after statistics`);
    return true;
  }

  #endOf(ms: DurationMs): Millis {
    return floorTo(this.#passedTo, ms) + ms;
  }

  #say(index: number, window: { readonly windowStart: Millis; readonly windowEnd: Millis }, effects: Effects): void {
    const { dimensions: named } = this.#rules;
    const countedFrom = Math.max(this.#begunAt, window.windowStart);
    const cells = inOrder(this.#windows[index]!).map(([name, cell]): FinalCell => {
      const label = labelIn(name);
      const dimensions = new Map(named.map((dimension, at) => [dimension.name, label[at]!]));
      const active = this.#active.get(name) ?? 0;
      return { ...window, countedFrom, dimensions, cell, active, partition: this.#partition };
    });
    if (cells.length === 0) return;
    const all = cells.map((cell) => sayCell(cell, { ...this.#voice, sketches: this.#sketches }, effects));
    const active = [...this.#active.values()].reduce((sum, each) => sum + each, 0);
    this.#said.set(this.#rules.windows[index]!, shownWindow(window, active, all));
  }

  /** `gives`: values that have no place yet get one. */
  #labelOf(attributes: ReadonlyMap<string, string>, gives: boolean): Label {
    return this.#rules.dimensions.map(({ attribute, max }, at) => {
      const value = attributes.get(attribute) ?? NO_VALUE;
      const known = this.#values[at]!;
      if (value === NO_VALUE || known.has(value)) return value;
      if (!gives || known.size >= max || value.length > VALUE_LENGTH_MAX) return OTHER;
      known.add(value);
      return value;
    });
  }

  #move(label: Label, by: number): void {
    const name = nameOf(label);
    const active = (this.#active.get(name) ?? 0) + by;
    assert(active >= 0, 'no session ends that did not count as open', { name, active });
    if (active === 0) this.#active.delete(name);
    else this.#active.set(name, active);
  }

  #count(label: Label, what: (cell: WindowCell) => void): void {
    const name = nameOf(label);
    for (const cells of this.#windows) {
      let cell = cells.get(name);
      if (cell === undefined) cells.set(name, (cell = new WindowCell()));
      what(cell);
    }
  }
}

function attributesOf({ detail }: CountedSession): ReadonlyMap<string, string> {
  return detail?.texts?.attributeValues() ?? NO_ATTRIBUTES;
}

function nameOf(label: Label): string {
  return label.length === 0 ? '' : JSON.stringify(label);
}

function labelIn(name: string): Label {
  return name === '' ? [] : (JSON.parse(name) as string[]);
}

/** In the order of their labels, which is the same whatever came first. */
function inOrder(cells: Cells): readonly (readonly [string, WindowCell])[] {
  return [...cells].sort(([one], [other]) => (one < other ? -1 : 1));
}

function floorTo(at: Millis, ms: DurationMs): Millis {
  return Math.floor(at / ms) * ms;
}
