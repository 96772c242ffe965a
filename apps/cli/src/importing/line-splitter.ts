// Cuts a stream of bytes into lines, holding no more than one line's maximum.
//
// Owns: the unfinished line, the line number.
// Does not own: reading the bytes, understanding the lines.
//
// Invariants
//   SP1  Never holds more than `lineBytesMax` bytes of an unfinished line; the rest of a longer one is passed over.
//   SP2  Every line is given once, in order, whatever the chunks are cut into.

/** `text` undefined: the line was longer than allowed. */
export interface NumberedLine {
  /** From 1. */
  readonly number: number;
  readonly text: string | undefined;
}

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #lineBytesMax: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #tooLong = false;
  #number = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The lines that end in this chunk. */
  push(chunk: Uint8Array): NumberedLine[] {
    const lines: NumberedLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      lines.push(this.#cut());
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
    return lines;
  }

  /** The rest after the last chunk: a last line without a newline. */
  end(): NumberedLine[] {
    return this.#heldBytes === 0 && !this.#tooLong ? [] : [this.#cut()];
  }

  #hold(part: Uint8Array): void {
    if (part.length === 0 || this.#tooLong) return;
    if (this.#heldBytes + part.length > this.#lineBytesMax) {
      this.#tooLong = true;
      this.#held = [];
      return;
    }
    this.#held.push(part);
    this.#heldBytes += part.length;
  }

  #cut(): NumberedLine {
    this.#number += 1;
    const text = this.#tooLong ? undefined : this.#text();
    this.#held = [];
    this.#heldBytes = 0;
    this.#tooLong = false;
    return { number: this.#number, text };
  }

  #text(): string {
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    const text = utf8.decode(bytes);
    // The decoder drops a byte order mark at the start of every text, hence ignoreBOM and one place that does it.
    const body = this.#number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
    return body.endsWith('\r') ? body.slice(0, -1) : body;
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
