// A page about a measurement, as data: how turns become figures, the columns and charts that show them, and how they are judged.
// Pure.
import { type LoopDelay, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { textTable } from '../text-table.ts';

/** One figure of a row, computed from all of its turns. */
type Figure<Turn> = (turns: readonly Turn[]) => unknown;

/** The rows of a page: keys common to their turns, and the figures made of these. */
export type Row<Turn, Key extends keyof Turn, Figures extends Readonly<Record<string, Figure<Turn>>>> = Pick<
  Turn,
  Key
> & {
  readonly [Name in keyof Figures]: ReturnType<Figures[Name]>;
};

/** Names of a turn's fields of type `Value`. */
type Said<Turn, Value> = { readonly [Name in keyof Turn]-?: Turn[Name] extends Value ? Name : never }[keyof Turn] &
  keyof Turn;

type Named<Name extends PropertyKey, Turn, Value> = { readonly [Each in Name]: (turns: readonly Turn[]) => Value };

/** Ways to make figures of several turns: one by one, or from the turns' fields of the same name. */
export function combine<Turn>() {
  const said = (turn: Turn, name: keyof Turn): unknown => turn[name];
  const spread =
    (of: (turn: Turn) => number) =>
    (turns: readonly Turn[]): Spread =>
      spreadOf(turns.map(of));
  const known =
    (of: (turn: Turn) => number | undefined) =>
    (turns: readonly Turn[]): Spread | undefined =>
      spreadOfKnown(turns.map(of));
  const sum =
    (of: (turn: Turn) => number) =>
    (turns: readonly Turn[]): number =>
      turns.reduce((all, turn) => all + of(turn), 0);
  return {
    spread,
    spreads: <Name extends Said<Turn, number>>(...names: readonly Name[]): Named<Name, Turn, Spread> =>
      named(names, (name) => spread((turn) => said(turn, name) as number)),
    /** Undefined if one turn does not tell it. */
    known,
    knowns: <Name extends Said<Turn, number | undefined>>(
      ...names: readonly Name[]
    ): Named<Name, Turn, Spread | undefined> =>
      named(names, (name) => known((turn) => said(turn, name) as number | undefined)),
    sums: <Name extends Said<Turn, number>>(...names: readonly Name[]): Named<Name, Turn, number> =>
      named(names, (name) => sum((turn) => said(turn, name) as number)),
    /** Undefined if no turn tells it: the process does not run on Node. */
    worst:
      (of: (turn: Turn) => LoopDelay | undefined) =>
      (turns: readonly Turn[]): LoopDelay | undefined => {
        const delays = turns.flatMap((turn) => of(turn) ?? []);
        return delays.length === 0 ? undefined : worstDelay(delays);
      },
  };
}

function named<Name extends PropertyKey, Made>(
  names: readonly Name[],
  make: (name: Name) => Made,
): { readonly [Each in Name]: Made } {
  const made = names.map((name): [PropertyKey, Made] => [name, make(name)]);
  return Object.fromEntries(made) as unknown as { readonly [Each in Name]: Made };
}

/** A row for all turns that agree in `keys`, in order of first appearance. */
export function rowsOf<Turn, Key extends keyof Turn, Figures extends Readonly<Record<string, Figure<Turn>>>>(
  turns: readonly Turn[],
  keys: readonly Key[],
  figures: Figures,
): readonly Row<Turn, Key, Figures>[] {
  const alike = Map.groupBy(turns, (turn) => JSON.stringify(keys.map((key) => turn[key])));
  return [...alike.values()].map((each) => {
    const common = keys.map((key): [PropertyKey, unknown] => [key, each[0]![key]]);
    const made = Object.entries(figures).map(([name, figure]): [PropertyKey, unknown] => [name, figure(each)]);
    return Object.fromEntries([...common, ...made]) as unknown as Row<Turn, Key, Figures>;
  });
}

export type Column<Of> = readonly [head: string, cell: (row: Of) => string];

interface Table<Of> {
  readonly title?: string;
  readonly columns: readonly Column<Of>[];
  /** Lines below it. */
  readonly note?: string;
}

export interface Page<Of> extends Table<Of> {
  /** Tables below the first. */
  readonly more?: readonly Table<Of>[];
  /** Lines below all tables: goals, and failures. */
  readonly verdicts?: (rows: readonly Of[]) => readonly string[];
  readonly charts?: (rows: readonly Of[]) => readonly BarChart[];
}

export function pageText<Of>(page: Page<Of>, rows: readonly Of[]): string {
  const texts = [page, ...(page.more ?? [])].map(({ title, columns, note }) => {
    const table = tableText(columns, rows);
    return [title === undefined ? '' : `${title}\n`, table, note === undefined ? '' : `\n\n${note}`].join('');
  });
  return [texts.join('\n\n'), ...(page.verdicts?.(rows) ?? [])].join('\n');
}

export function tableText<Of>(columns: readonly Column<Of>[], rows: readonly Of[]): string {
  return textTable([columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]);
}

interface Drawing<Of> extends Omit<BarChart, 'bars'> {
  readonly label: (row: Of) => string;
  /** Undefined: it has no bar. */
  readonly bar: (row: Of) => Spread | undefined;
  /** Default: the first row. */
  readonly isOurs?: (row: Of) => boolean;
}

export function chart<Of>(rows: readonly Of[], { name, title, label, bar, isOurs }: Drawing<Of>): BarChart {
  const bars = rows.flatMap((row) => {
    const spread = bar(row);
    if (spread === undefined) return [];
    const { median, min, max } = spread;
    return [{ label: label(row), median, min, max, ...(isOurs && { ours: isOurs(row) }) }];
  });
  return { name, title, bars };
}

/** Noise decides nothing: the whole range of what the turns agree on has to be on one side. */
export function decided(within: Omit<Spread, 'median'> | undefined, holds: (value: number) => boolean): string {
  if (within === undefined || holds(within.min) !== holds(within.max)) return 'undecided';
  return verdict(holds(within.min));
}

export function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

/** Judges the worst event loop among those known. */
export function loopVerdict(delays: readonly (LoopDelay | undefined)[]): readonly string[] {
  const known = delays.flatMap((delay) => delay ?? []);
  return known.length === 0 ? [] : [loopDelayVerdict(worstDelay(known))];
}
