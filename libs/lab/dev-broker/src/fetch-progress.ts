// Turns Maven's output while it fetches into a line every few seconds for the user who waits.
const LINE_EVERY_MS = 5_000;
/** `Downloaded from central: https://…/kafka-clients-4.1.1.jar (10 MB at 8.1 MB/s)`: one per file. */
const FETCHED = /Downloaded from \S+ \S+ \((\d+(?:\.\d+)?) (B|kB|MB)/g;
const BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6 };

export class FetchProgress {
  readonly #log: (line: string) => void;
  readonly #nowMs: () => number;
  #saidAtMs: number;
  #files = 0;
  #bytes = 0;
  /** The beginning of an incomplete line. */
  #rest = '';

  constructor(log: (line: string) => void, nowMs: () => number = () => performance.now()) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#saidAtMs = nowMs();
  }

  heard(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop()!;
    for (const [, amount, unit] of lines.join('\n').matchAll(FETCHED)) {
      this.#files += 1;
      this.#bytes += Number(amount) * BYTES[unit!]!;
    }
    const nowMs = this.#nowMs();
    if (this.#files === 0 || nowMs - this.#saidAtMs < LINE_EVERY_MS) return;
    this.#saidAtMs = nowMs;
    this.#log(`fetched so far: ${this.#files} files, ${(this.#bytes / 1e6).toFixed(0)} MB`);
  }
}
