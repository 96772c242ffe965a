// Selects the rules by which each stretch of a history is judged: the settings of its commits, as the changelog states them.
//
// Owns: the rules in force, the stretch that they belong to.
// Does not own: the text of the settings (the changelog), when the next stretch begins.
//
// Invariants
//   RF1  `rules` is one object throughout, shared by every judge of the partition and updated in place.
import { NotABlock } from '../logs/block-reader.ts';
import { type ChangelogBlock, readBlock, type SaidSettings } from '../logs/changelog-block.ts';
import type { LogRecord, LogSource, NaiveRoute, StatsRules } from '../logs/history.ts';
import { hashedOtherwise } from '../rules/attributes-in.ts';
import { learnSchema, type ReducerRules } from '../rules/reducing/naive-reducer.ts';
import type { JudgedRules } from './kinds.ts';

/** Written form of infinity, for which JSON has no word. */
const UNLIMITED = 'unlimited';
/** Values in force where a text does not know the option, because the option is younger. */
const BEFORE: Readonly<Record<string, unknown>> = {
  bucketMs: 0,
  maxSources: 0,
  maxEvents: undefined,
  stats: undefined,
  sayOpened: false,
  updateIntervalMs: undefined,
  graceMs: 0,
  late: 'deadLetter',
  revisionWindowMs: 0,
  attributes: undefined,
  routes: undefined,
  reducer: undefined,
  reduced: undefined,
};
/** Options that a text has only where they are set. */
const WHERE_SET: Readonly<Record<string, unknown>> = {
  attributes: null,
  bucketMs: null,
  reduced: null,
  reducer: null,
  revisionWindowMs: null,
  routes: null,
  stats: null,
};

/** Routes, with the number of the first commit by them. */
export interface SaidRoutes {
  readonly sequence: number;
  readonly routes: readonly NaiveRoute[] | undefined;
}

export class RulesInForce {
  readonly rules: JudgedRules;
  readonly #today: JudgedRules;
  readonly #said: readonly SaidSettings[];
  readonly #routes: readonly SaidRoutes[];
  /** Index of the next stretch. */
  #next = 0;

  /** `today`: the configured rules, for stretches without settings and for options that no text has. */
  constructor(today: JudgedRules, said: readonly SaidSettings[] = []) {
    this.rules = { ...today };
    for (const options of [...said.map(({ text }) => optionsIn(text)), { ...today }]) learnStates(options);
    this.#today = today;
    this.#said = said;
    this.#routes = said.map(({ sequence, text }) => ({
      sequence,
      routes: this.#asToday(rulesIn(text))['routes'] as JudgedRules['routes'],
    }));
    if (said.length > 0) this.#adopt();
  }

  /** The input offset from which on records were applied by the rules in force. */
  get from(): number {
    return this.#said[this.#next - 1]?.from ?? 0;
  }

  /** The number of the first commit by the rules in force. */
  get sequence(): number {
    return this.#said[this.#next - 1]?.sequence ?? 0;
  }

  /** Advances to the rules of the commit with that number. True if they changed. */
  ofCommit(sequence: number): boolean {
    return this.#goTo((stretch) => stretch.sequence <= sequence);
  }

  /** Advances to the rules of a record, for input whose commits are gone. True if they changed. */
  ofRecord(offset: number): boolean {
    return this.#goTo(({ from }) => from <= offset);
  }

  /** Lists the settings of the last stretch that differ from today's. Options that it does not know are left out. */
  differences(): readonly { readonly setting: string; readonly inForce: unknown; readonly inFile: unknown }[] {
    const last = this.#said.at(-1);
    const today: Readonly<Record<string, unknown>> = { ...this.#today };
    const options = last && optionsIn(last.text);
    return Object.entries(options === undefined ? {} : { ...WHERE_SET, ...options })
      .map(([setting, inForce]) => ({ setting, inForce, inFile: written(today[setting]) }))
      .filter(({ inForce, inFile }) => JSON.stringify(inForce) !== JSON.stringify(inFile));
  }

  /** Stretches whose text cannot be read: they are judged by the settings of the one before. */
  unreadable(): readonly SaidSettings[] {
    return this.#said.filter(({ text }) => optionsIn(text) === undefined);
  }

  /** True if by one of these sessions were counted (S12): as what is not known. */
  get countsByOtherHash(): boolean {
    return this.#said.some(({ text }) => {
      const rules = { ...this.#today, ...rulesIn(text) };
      const hidden = hashedOtherwise(rules).flatMap(({ names }) => names);
      const { stats } = rules as { readonly stats?: StatsRules | undefined };
      return stats?.dimensions.some(({ attribute }) => hidden.includes(attribute)) === true;
    });
  }

  /** Stretches in which attributes were hashed with a key that is not at hand (E1), in words. */
  hashedOtherwise(): readonly string[] {
    return this.#said.flatMap(({ text, from }) =>
      hashedOtherwise({ ...this.#today, ...rulesIn(text) }).map(
        ({ names, keyId }) =>
          `what the attributes ${names.join(', ')} were hashed to from input offset ${from} on, with the key ${keyId}: it is not input.attributes.hashKey of ` +
          'the configuration, so of these values only the form is checked (E1)',
      ),
    );
  }

  /** P3: the routes of each stretch, in order; none if that is not told. */
  get routesSaid(): readonly SaidRoutes[] {
    return this.#routes;
  }

  /** The input offset from which on other rules are known to have been in force; Infinity: none. */
  get until(): number {
    return this.#said[this.#next]?.from ?? Infinity;
  }

  /**
   * A reducer of an application that says the same of itself as today's is that one, and so is the function of a route; of any other the
   * functions are not known.
   */
  #asToday(rules: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const today: Readonly<Record<string, unknown>> = { ...this.#today };
    const same = ['reducer', 'reduced'].filter((name) => JSON.stringify(rules[name]) === JSON.stringify(today[name]));
    const routes = routesAsToday(rules['routes'] as JudgedRules['routes'], this.#today.routes ?? []);
    return { ...rules, ...(routes && { routes }), ...Object.fromEntries(same.map((name) => [name, today[name]])) };
  }

  #goTo(hasBegun: (stretch: SaidSettings) => boolean): boolean {
    const before = this.#next;
    for (let next = this.#said[this.#next]; next !== undefined && hasBegun(next); next = this.#said[this.#next])
      this.#adopt();
    return this.#next > before;
  }

  #adopt(): void {
    Object.assign(this.rules, this.#asToday(rulesIn(this.#said[this.#next]!.text)));
    this.#next += 1;
  }
}

/** Each that says the same as one of today's, in their order, is that one. */
function routesAsToday(routes: JudgedRules['routes'], today: readonly NaiveRoute[]): JudgedRules['routes'] {
  const left = [...today];
  return routes?.map((route) => {
    const at = left.findIndex((each) => JSON.stringify(each) === JSON.stringify(route));
    return at < 0 ? route : left.splice(at, 1)[0]!;
  });
}

/** The topics to which routes have led by any of these settings (P3). */
export function topicsRoutedTo(said: readonly SaidSettings[]): ReadonlySet<string> {
  const routes = said.flatMap(({ text }) => (optionsIn(text)?.['routes'] ?? []) as readonly NaiveRoute[]);
  return new Set(routes.map(({ to }) => to));
}

/** S10: states may be left of each reducer that there was. */
function learnStates(options: Readonly<Record<string, unknown>> | undefined): void {
  for (const name of ['reducer', 'reduced']) {
    const reducer = options?.[name] as Partial<ReducerRules> | null | undefined;
    if (reducer?.state !== undefined) learnSchema(reducer.state);
  }
}

/** Returns the options in a text, named as in the rules; empty if it cannot be read. */
function rulesIn(text: string): Readonly<Record<string, unknown>> {
  const options = optionsIn(text);
  if (options === undefined) return {};
  return Object.fromEntries(
    Object.entries({ ...BEFORE, ...options }).map(([name, value]): [string, unknown] => [
      name,
      value === UNLIMITED ? Infinity : (value ?? undefined),
    ]),
  );
}

/** undefined: not a JSON object. */
function optionsIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null && !Array.isArray(said) ? { ...said } : undefined;
  } catch {
    return undefined;
  }
}

function written(value: unknown): unknown {
  return value === Infinity ? UNLIMITED : (value ?? null);
}

/** Returns a lookup, by input offset, of the option's value when that record was applied; undefined: not stated. */
export function optionAt(said: readonly SaidSettings[], name: string): (offset: number) => unknown {
  const stretches = said.map(({ from, text }) => ({ from, option: optionsIn(text)?.[name] }));
  return (offset) => stretches.findLast(({ from }) => from <= offset)?.option;
}

/**
 * Reads a changelog to its end for the settings in its commits: later commits repeat those of earlier ones that are still kept.
 */
export async function settingsIn(changelog: LogSource<LogRecord>): Promise<readonly SaidSettings[]> {
  const known = new Map<number, SaidSettings>();
  for (let part = await changelog.read(); part !== undefined; part = await changelog.read())
    for (const { value } of part.records) {
      const block = value === null ? undefined : blockIn(value);
      if (block?.kind === 'state') for (const each of block.header.settings) known.set(each.sequence, each);
    }
  return [...known.values()].sort((a, b) => a.sequence - b.sequence);
}

/** undefined: not a block, which the judge reports. */
function blockIn(value: Uint8Array): ChangelogBlock | undefined {
  try {
    return readBlock(value);
  } catch (error) {
    if (error instanceof NotABlock) return undefined;
    throw error;
  }
}
