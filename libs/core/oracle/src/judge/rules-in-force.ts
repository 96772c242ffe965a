// By which rules each stretch of a history is judged: those by which its commits were made, as the changelog says it.
//
// Owns: the rules in force, which stretch they are of.
// Does not own: what was said (the changelog), when the next begins.
//
// Invariants
//   RF1  `rules` is one object for good, which every judge of the partition looks into: what is in force stands there.
import { NotABlock } from '../logs/block-reader.ts';
import { type ChangelogBlock, readBlock, type SaidSettings } from '../logs/changelog-block.ts';
import type { LogRecord, LogSource } from '../logs/history.ts';
import type { JudgedRules } from './kinds.ts';

/** Written form of infinity, for which JSON has no word. */
const UNLIMITED = 'unlimited';
/** Values in force where a text does not know the option, because the option is younger. */
const BEFORE: Readonly<Record<string, unknown>> = {
  maxSources: 0,
  maxEvents: undefined,
  sayOpened: false,
  updateIntervalMs: undefined,
  graceMs: 0,
  late: 'deadLetter',
};

export class RulesInForce {
  readonly rules: JudgedRules;
  readonly #today: JudgedRules;
  readonly #said: readonly SaidSettings[];
  /** The stretch that comes next. */
  #next = 0;

  /** `today`: the rules where nothing is said, and what no text can hold. */
  constructor(today: JudgedRules, said: readonly SaidSettings[] = []) {
    this.rules = { ...today };
    this.#today = today;
    this.#said = said;
    if (said.length > 0) this.#adopt();
  }

  /** Goes on to the rules by which the commit with that number was made. True: they are others. */
  ofCommit(sequence: number): boolean {
    return this.#goTo((stretch) => stretch.sequence <= sequence);
  }

  /** The same by a record, for input of which the commits are gone. */
  ofRecord(offset: number): boolean {
    return this.#goTo(({ from }) => from <= offset);
  }

  /** Lists the settings of the last stretch that differ from today's. Options that it does not know are left out. */
  differences(): readonly { readonly setting: string; readonly inForce: unknown; readonly inFile: unknown }[] {
    const last = this.#said.at(-1);
    const today: Readonly<Record<string, unknown>> = { ...this.#today };
    return Object.entries((last && optionsIn(last.text)) ?? {})
      .map(([setting, inForce]) => ({ setting, inForce, inFile: written(today[setting]) }))
      .filter(({ inForce, inFile }) => JSON.stringify(inForce) !== JSON.stringify(inFile));
  }

  /** Stretches whose text is none: they are judged as the one before. */
  unreadable(): readonly SaidSettings[] {
    return this.#said.filter(({ text }) => optionsIn(text) === undefined);
  }

  #goTo(hasBegun: (stretch: SaidSettings) => boolean): boolean {
    const before = this.#next;
    for (let next = this.#said[this.#next]; next !== undefined && hasBegun(next); next = this.#said[this.#next])
      this.#adopt();
    return this.#next > before;
  }

  #adopt(): void {
    Object.assign(this.rules, rulesIn(this.#said[this.#next]!.text));
    this.#next += 1;
  }
}

/** The options that a text has, as rules have them; empty where it is none. */
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

/** undefined: it is no JSON object. */
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

/** Returns a lookup of the option's value by which the record at an input offset was applied; undefined: nothing says it. */
export function optionAt(said: readonly SaidSettings[], name: string): (offset: number) => unknown {
  const stretches = said.map(({ from, text }) => ({ from, option: optionsIn(text)?.[name] }));
  return (offset) => stretches.findLast(({ from }) => from <= offset)?.option;
}

/**
 * Reads a changelog to its end for the settings in its commits: later ones repeat those of earlier ones, as far as they are kept.
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

/** undefined: none, which is found where it is judged. */
function blockIn(value: Uint8Array): ChangelogBlock | undefined {
  try {
    return readBlock(value);
  } catch (error) {
    if (error instanceof NotABlock) return undefined;
    throw error;
  }
}
