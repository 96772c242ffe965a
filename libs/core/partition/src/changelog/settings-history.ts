// By which settings the commits of this log were made, and from which one on: what a checker has to know who comes later (V4).
//
// A commit says it where the settings are others than before, and where the last block that did falls below the floor: truncation
// takes blocks, and what they said of older commits has to stay.
//
// Owns: the stretches of one settings each, where the log has them.
// Does not own: what a text says (whoever configures the task, and the checker), when a commit is cut.
//
// Invariants
//   SZ1  A block that has all stretches lies at or above each floor that is stated, from the first commit that has any on.
//   SZ2  That block holds the floor back until KEPT_TIMES its size lies behind it: where nothing lives, each commit's floor would
//        pass it, and every second one say all again.
//   SZ3  At most STRETCHES_MAX, of TEXTS_BYTES_MAX together: the oldest are forgotten. The newest is always said, and the options
//        of a configuration are shorter by far.
//
// Checked
//   inspect  SZ3
//   not      SZ1, SZ2: of floors that were stated, which are not kept; the oracle reads them in the log (V4).
import type { CommitHeader, SettingsStretch } from './block-format.ts';

export const STRETCHES_MAX = 32;
/** In UTF-8. */
const TEXTS_BYTES_MAX = 64 * 1024;
/** Two numbers and a length, each as long as it gets. */
const STRETCH_BYTES = 8 + 8 + 3;
/** Settings take at most so much of a header. */
export const SETTINGS_BYTES_MAX: number = TEXTS_BYTES_MAX + STRETCHES_MAX * STRETCH_BYTES + 1;
/** So much of the log is other than settings at least, for one part that is. */
const KEPT_TIMES = 8;

const utf8 = new TextEncoder();

type Said = Pick<CommitHeader, 'sequence' | 'inputs' | 'settings'>;
type Logged = Said & Pick<CommitHeader, 'floor'>;

export class SettingsHistory {
  readonly #text: string | undefined;
  #stretches: readonly SettingsStretch[] = [];
  /** Changelog offset of the newest block that has them all; −1: none that is known. */
  #statedAt = -1;
  /** The log behind that commit is so long. */
  #bytesSince = 0;
  #position: number | undefined;
  /** The next commit says all, wherever the log does. */
  #isWanted = false;
  readonly #keptBytesMax: number;

  /** `text`: that of the task's own settings; undefined: it says none. `keptBytesMax`: the log that K8 leaves alone. */
  constructor(text: string | undefined, keptBytesMax: number) {
    this.#text = text;
    this.#keptBytesMax = keptBytesMax;
  }

  get stretches(): readonly SettingsStretch[] {
    return this.#stretches;
  }

  /** Lists violations of the invariants, in words. For checks. */
  inspect(): string[] {
    const bytes = this.#stretches.reduce((sum, { text }) => sum + utf8.encode(text).length, 0);
    const { length } = this.#stretches;
    const isSound = length <= STRETCHES_MAX && (length <= 1 || bytes <= TEXTS_BYTES_MAX);
    return isSound ? [] : [`SZ3: ${length} stretches are kept, of ${bytes} bytes`];
  }

  /** Takes what the header says that a local store stands at: it has all, wherever the log does. */
  stored({ settings = [], inputs }: Said): void {
    this.#stretches = settings;
    this.#statedAt = -1;
    this.#position = inputs[0]?.position;
  }

  /** Takes a commit that is in the log, its first block at `offset`, all of them `bytes` long. */
  logged({ settings = [], inputs, floor }: Logged, offset: number, bytes: number): void {
    this.#position = inputs[0]?.position;
    this.#bytesSince += bytes;
    // An owner that says none, as in a former format, held nothing back; and a floor never goes back.
    if (floor > this.#statedAt) this.#statedAt = -1;
    if (settings.length === 0) return;
    this.#bytesSince = 0;
    this.#isWanted = false;
    this.#stretches = settings;
    this.#statedAt = offset;
  }

  /** All below the next commit is to go (E1). */
  sayAgain(): void {
    this.#isWanted = true;
  }

  /** The floor that the next commit states, where all else would let it be `floor`. */
  keptFloor(floor: number): number {
    if (this.#text === undefined || this.#statedAt < 0 || this.#statedAt >= floor) return floor;
    const size = this.#stretches.reduce((sum, { text }) => sum + text.length, 0);
    const isKept = this.#bytesSince < Math.min(KEPT_TIMES * size, this.#keptBytesMax - size);
    return isKept ? this.#statedAt : floor;
  }

  /** Returns the stretches that the next commit, which states `floor`, has to say; empty: none. */
  toSay({ sequence, inputs }: Omit<Said, 'settings'>, floor: number): readonly SettingsStretch[] {
    const text = this.#text;
    if (text === undefined) return [];
    const isNew = this.#stretches.at(-1)?.text !== text;
    if (!isNew) return this.#isWanted || this.#statedAt < floor ? this.#stretches : [];
    const from = this.#position ?? inputs[0]?.origin ?? 0;
    return bounded([...this.#stretches, { sequence, from, text }]);
  }
}

function bounded(stretches: readonly SettingsStretch[]): readonly SettingsStretch[] {
  const last = stretches.slice(-STRETCHES_MAX);
  const sizes = last.map(({ text }) => utf8.encode(text).length);
  let first = 0;
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  for (; first + 1 < last.length && bytes > TEXTS_BYTES_MAX; first += 1) bytes -= sizes[first]!;
  return last.slice(first);
}
