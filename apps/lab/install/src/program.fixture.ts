// A program that runs until it is told to end: its lines and its exit code.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export class Program {
  readonly #child: ChildProcess;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
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

  /** Resolves once something printed matches. */
  async line(pattern: RegExp): Promise<void> {
    const ended = once(this.#child, 'close');
    while (!pattern.test(this.#printed)) {
      await Promise.race([once(this.#child, 'printed'), ended]);
      if (this.#child.exitCode !== null) throw new Error(`ended before ${String(pattern)}:\n${this.#printed}`);
    }
  }

  /** Its exit code. */
  async end(signal: NodeJS.Signals): Promise<unknown> {
    const ended = once(this.#child, 'close');
    this.#child.kill(signal);
    const [code] = (await ended) as [unknown];
    return code;
  }
}
