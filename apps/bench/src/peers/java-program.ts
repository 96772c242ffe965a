// A peer that runs on Java: compiled by Maven once, run in a process of its own, told by `name=value`, answering with JSON.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type ProgramArguments = Readonly<Record<string, string | number>>;

export class JavaProgram {
  readonly #java: string;
  readonly #folder: string;
  readonly #main: string;

  /** @param folder with `classes` and jars */
  constructor(java: string, folder: string, main: string) {
    this.#java = java;
    this.#folder = folder;
    this.#main = main;
  }

  /** `4.1.1` of `kafka-streams-4.1.1.jar`. @throws Error where there is no such jar */
  versionOf(artifact: string): string {
    const found = this.#jars().map((jar) => versionIn(jar, artifact));
    const version = found.find((each) => each !== undefined);
    if (version === undefined)
      throw new Error(`no ${artifact} in ${this.#folder}: remove that folder, it is made again`);
    return version;
  }

  /** Runs it to its end and returns its last line. @throws Error where it fails, with what it said. */
  async run<T>(args: ProgramArguments, heapMb: number): Promise<T> {
    const classPath = ['classes', ...this.#jars()].map((name) => join(this.#folder, name)).join(delimiter);
    const heap = [`-Xms${heapMb}m`, `-Xmx${heapMb}m`];
    const given = Object.entries(args).map(([name, value]) => `${name}=${value}`);
    const child = spawn(this.#java, [...heap, '-cp', classPath, this.#main, ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A benchmark that is interrupted takes its peer with it.
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const how = await new Promise<number | string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve(code ?? signal ?? 'unknown');
      });
    });
    process.off('exit', end);
    if (how !== 0) throw new Error(`${this.#main} ${given.join(' ')} ended with ${how}`);
    return lastAnswer(output) as T;
  }

  #jars(): readonly string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.jar'))
      .sort();
  }
}

/** Undefined where the jar is of another artifact. */
export function versionIn(jar: string, artifact: string): string | undefined {
  const version = jar.startsWith(`${artifact}-`) ? jar.slice(artifact.length + 1, -'.jar'.length) : '';
  return /^\d/.test(version) ? version : undefined;
}

/** The last line of what a program said. @throws SyntaxError where that is no JSON. */
export function lastAnswer(output: string): unknown {
  return JSON.parse(output.trimEnd().split('\n').at(-1)!);
}
