// Where a command's words go: results to standard output, everything else to standard error, so that a pipe gets
// results only.
//
// Owns: the live region of the terminal.
// Does not own: what is said.
//
// Invariants
//   CO1  On a terminal the live region is redrawn in place and persistent lines scroll above it; elsewhere there is none.
//   CO2  With `json`, standard output holds one JSON value per line and nothing else.
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { createLogUpdate } from 'log-update';
import { createColors } from 'picocolors';
import { printable, printableJson } from './printable.ts';
import { Screen } from './screen.ts';

export type Colors = ReturnType<typeof createColors>;

/** The part of a terminal stream that is needed; `process.stdout` is one. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface ConsoleOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  /** Commands in messages begin with `npx`. */
  readonly byNpx?: boolean;
}

/** As `flatline --help` lists them, and those of a checkout: `flatline` before any other word is no command. */
export const COMMAND_NAMES =
  `config topics run import ${groupNames()} entries tasks dead-letters deliveries verify stats sink status top probe partitions http doctor reset ` +
  'try broker demo bench simulate completion help';
/** A command in a message, unless it is called with `npx` or by a path already. */
const COMMAND = new RegExp(`(?<!npx |[\\w./-])flatline (?=(?:${COMMAND_NAMES.replaceAll(' ', '|')})\\b)`, 'g');
const DEFAULT_COLUMNS = 100;

/** The group of each kind. */
function groupNames(): string {
  return Object.values(KIND_WORDS)
    .map(({ group }) => group)
    .join(' ');
}

/** By no-color.org and force-color.org; NO_COLOR wins. Without either, each stream by whether it is a terminal. */
function colorsOf(stream: OutputStream, env: ConsoleOptions['env']): Colors {
  if ((env['NO_COLOR'] ?? '') !== '') return createColors(false);
  const forced = env['FORCE_COLOR'] ?? '';
  return createColors(forced === '' ? isWatched(stream, env) : forced !== '0' && forced !== 'false');
}

function isWatched(stream: OutputStream, env: ConsoleOptions['env']): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb' && env['CI'] === undefined;
}

export class Console {
  readonly json: boolean;
  /** True where a person watches: a live region makes sense. */
  readonly live: boolean;
  /** For results. */
  readonly colors: Colors;
  /** For the live region. */
  readonly liveColors: Colors;
  readonly #options: ConsoleOptions;
  readonly #region: ReturnType<typeof createLogUpdate> | undefined;

  constructor(options: ConsoleOptions) {
    const { stdout, stderr, env, json } = options;
    this.#options = options;
    this.json = json;
    this.live = !json && isWatched(stderr, env);
    this.colors = colorsOf(stdout, env);
    this.liveColors = colorsOf(stderr, env);
    this.#region = this.live ? createLogUpdate(stderr, { showCursor: true }) : undefined;
  }

  /** How wide results may be: COLUMNS, as elsewhere, stands over what their terminal says. In a pipe: Infinity. */
  get width(): number {
    const { stdout, env } = this.#options;
    if (stdout.isTTY !== true) return Infinity;
    const asked = Number(env['COLUMNS'] ?? '');
    return Number.isSafeInteger(asked) && asked > 0 ? asked : sizeOf(stdout.columns, Infinity);
  }

  /** Width of the live region. */
  get columns(): number {
    return sizeOf(this.#options.stderr.columns, DEFAULT_COLUMNS);
  }

  /** Height of the terminal; Infinity without one. */
  get rows(): number {
    return sizeOf(this.#options.stderr.rows, Infinity);
  }

  /** A result: the value as a line of JSON, or else the text. */
  result(value: object, text: string): void {
    // As it is: what is shown of records may read like a command.
    const line = this.json ? printableJson(value) : text;
    this.#persist(() => this.#options.stdout.write(`${line}\n`));
  }

  /** A line over results that a person watches; a pipe gets none. */
  heading(text: string): void {
    const { stdout, env } = this.#options;
    if (!this.json && isWatched(stdout, env)) this.result({}, this.colors.dim(text));
  }

  /** Our own words, with commands as they are typed here. */
  typed(text: string): string {
    return this.#options.byNpx === true ? text.replace(COMMAND, 'npx flatline ') : text;
  }

  /** Something a person should know and a pipe should not get. Lines of the text are kept, controls are escaped. */
  note(text: string): void {
    const safe = this.typed(text).split('\n').map(printableLine).join('\n');
    this.#persist(() => this.#options.stderr.write(`${safe}\n`));
  }

  /** Redraws the live region; does nothing without a terminal. */
  draw(text: string): void {
    this.#region?.(text);
  }

  /** All of the terminal that a person watches; undefined: none does. */
  screen(): Screen | undefined {
    return this.live ? new Screen(this.#options.stderr) : undefined;
  }

  /** Leaves the live region as it was last drawn, or removes it. */
  endRegion(leave: 'keep' | 'clear'): void {
    if (leave === 'clear') this.#region?.clear();
    this.#region?.done();
  }

  /** Above the live region, which is drawn again with its next change. */
  #persist(write: () => void): void {
    this.#region?.clear();
    write();
  }
}

/** A terminal without a size, as in a container or under `script`, says 0. */
function sizeOf(said: number | undefined, otherwise: number): number {
  return said === undefined || said === 0 ? otherwise : said;
}

/** Backslashes stay single here: these are our own words with foreign parts in them, not a name to be told apart. */
function printableLine(line: string): string {
  return printable(line).replaceAll('\\\\', '\\');
}
