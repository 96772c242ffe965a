// A whole terminal, drawn line by line: what has not changed is not written again.
//
// Owns: the terminal's other screen while it is entered, what each of its lines says.
// Does not own: what is shown.
//
// Control sequences are those of ECMA-48 and xterm's DECSET 25 and 1049, which every terminal in use has.
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J';
const LEAVE = '\x1b[?25h\x1b[?1049l';

/** Brings a screen from some lines to others; colors end with each line. */
export function changes(before: readonly string[], after: readonly string[]): string {
  let written = '';
  for (let row = 0; row < Math.max(before.length, after.length); row += 1)
    if (before[row] !== after[row]) written += `\x1b[${row + 1};1H${after[row] ?? ''}\x1b[0m\x1b[K`;
  return written;
}

export class Screen {
  readonly #stream: NodeJS.WritableStream;
  #shown: readonly string[] | undefined;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** At most as many lines as the terminal has, each no wider. */
  draw(lines: readonly string[]): void {
    const former = this.#shown;
    if (former === undefined) this.#stream.on('resize', this.#forget);
    const written = changes(former ?? [], lines);
    this.#shown = lines;
    if (former === undefined) this.#stream.write(`${ENTER}${written}`);
    else if (written !== '') this.#stream.write(written);
  }

  /** Gives the terminal back as it was, with these lines below. Idempotent. */
  leave(last: readonly string[]): void {
    if (this.#shown === undefined) return;
    this.#stream.off('resize', this.#forget);
    this.#shown = undefined;
    this.#stream.write(`${LEAVE}${last.map((line) => `${line}\x1b[0m\n`).join('')}`);
  }

  /** A terminal of another size has moved what it shows. */
  readonly #forget = (): void => {
    this.#shown = [];
    this.#stream.write('\x1b[2J');
  };
}
