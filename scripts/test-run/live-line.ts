// Shows the running steps in one line below the output; only on a terminal.
import { type WriteStream } from 'node:tty';

const REFRESH_MS = 1000;

export class LiveLine {
  readonly #stream: WriteStream;
  readonly #begunAt = new Map<string, number>();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(stream: WriteStream) {
    this.#stream = stream;
    if (stream.isTTY)
      this.#timer = setInterval(() => {
        this.#draw();
      }, REFRESH_MS);
  }

  begin(name: string): void {
    this.#begunAt.set(name, performance.now());
  }

  end(name: string): void {
    this.#begunAt.delete(name);
  }

  print(text: string): void {
    this.#clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    if (!this.#stream.isTTY) return;
    const now = performance.now();
    const running = [...this.#begunAt].map(([name, at]) => `${name} ${Math.round((now - at) / 1000)} s`);
    this.#clear();
    this.#stream.write(running.join(' · ').slice(0, this.#stream.columns - 1));
  }

  #clear(): void {
    if (!this.#stream.isTTY) return;
    this.#stream.cursorTo(0);
    this.#stream.clearLine(0);
  }
}
