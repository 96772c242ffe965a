// The progress of a campaign as one line: rewritten on a terminal, repeated now and then elsewhere.
import type { Tally } from './tally.ts';

const TERMINAL_MS = 500;
const ELSEWHERE_MS = 30_000;

export class Progress {
  readonly #total: number;
  readonly #tally: Tally;
  readonly #startedAt: number;
  readonly #everyMs = process.stdout.isTTY ? TERMINAL_MS : ELSEWHERE_MS;
  #shownAt: number;

  constructor(total: number, tally: Tally, startedAt: number) {
    this.#total = total;
    this.#tally = tally;
    this.#startedAt = startedAt;
    this.#shownAt = startedAt;
  }

  update(): void {
    const now = performance.now();
    if (now - this.#shownAt < this.#everyMs) return;
    this.#shownAt = now;
    const { seeds, virtualMs, failures } = this.#tally;
    const perSecond = (seeds / (now - this.#startedAt)) * 1_000;
    const left = Math.ceil((this.#total - seeds) / perSecond / 60);
    const hours = (virtualMs / 3_600_000).toFixed(1);
    const line = `${seeds} of ${this.#total} seeds, ${hours} h simulated, ${failures.length} failed, ${perSecond.toFixed(0)}/s, ${left} min left`;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
    else console.log(line);
  }

  print(text: string): void {
    this.close();
    console.log(text);
  }

  close(): void {
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  }
}
