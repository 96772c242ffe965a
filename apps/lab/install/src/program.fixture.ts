// A program that runs until it is told to end: its lines and its exit code.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        child.emit('printed');
      });
  }

  static start(
    node: string,
    args: readonly string[],
    folder: string,
    given: Readonly<Record<string, string>> = {},
  ): Program {
    const env = { ...process.env, NO_COLOR: '1', ...given };
    return new Program(spawn(node, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Resolves with the match, once something printed matches. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#printed)?.[0];
      if (found !== undefined) return found;
      await Promise.race([once(this.#child, 'printed'), this.#ended]);
      if (this.#hasEnded) throw new Error(`ended before ${String(pattern)}:\n${this.#printed}`);
    }
  }

  /** Sends the signal; returns the exit code. */
  async end(signal: NodeJS.Signals): Promise<unknown> {
    if (!this.#hasEnded) this.#child.kill(signal);
    return this.ended();
  }

  /** Its exit code, once it ends by itself. */
  async ended(): Promise<unknown> {
    const [code] = await this.#ended;
    return code;
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null || signalCode !== null;
  }
}
