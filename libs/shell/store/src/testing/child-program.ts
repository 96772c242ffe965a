import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this folder in a process of its own. */
export class ChildProgram {
  readonly process: ChildProcess;
  readonly #exit: Promise<unknown>;

  /** `limitBlocks`: the largest file it may write, in the shell's blocks; beyond it writes fail as on a full disk. */
  constructor(name: string, args: readonly string[], limitBlocks?: number) {
    const program = [
      process.execPath,
      '--conditions=@flatline/source',
      fileURLToPath(new URL(name, import.meta.url)),
      ...args,
    ];
    const [command, ...rest] =
      limitBlocks === undefined
        ? program
        : ['sh', '-c', `trap '' XFSZ; ulimit -f ${limitBlocks}; exec "$@"`, 'sh', ...program];
    this.process = spawn(command!, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exit = once(this.process, 'exit');
  }

  /** Lines of its output, as they come. */
  async *lines(): AsyncGenerator<string, void, undefined> {
    yield* createInterface({ input: this.process.stdout! });
  }

  /** kill −9, and until it is gone. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#exit;
  }

  async exited(): Promise<void> {
    await this.#exit;
  }
}
