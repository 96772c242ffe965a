// A peer that runs on Java: compiled by Maven once, run in a process of its own, told by `name=value`, answering with JSON.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export interface JvmSettings {
  readonly heapMb: number;
  /** G1, the default, pauses least; the parallel one takes least CPU, Kafka Streams up to half as much. */
  readonly collector: 'G1' | 'Parallel';
}

export type ProgramArguments = Readonly<Record<string, string | number>>;

export interface RunningProgram {
  readonly pid: number | undefined;
  /** Rejects if it ends by itself, with how. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
}

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
  async run<T>(args: ProgramArguments, jvm: JvmSettings): Promise<T> {
    const child = this.#spawn(args, jvm);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const how = await ended(child);
    if (how !== 0)
      throw new Error(`${child.spawnargs.slice(-1 - Object.keys(args).length).join(' ')} ended with ${how}`);
    return lastAnswer(output) as T;
  }

  /** Starts it, waits for its first line, and leaves it running. @throws Error where it ends before that. */
  async start(args: ProgramArguments, jvm: JvmSettings): Promise<RunningProgram> {
    const child = this.#spawn(args, jvm);
    const end = ended(child);
    const said = once(child.stdout, 'data');
    const failed = end.then((how) => Promise.reject(new Error(`${this.#main} ended with ${how}`)));
    await Promise.race([said, failed]);
    failed.catch(() => undefined);
    return {
      pid: child.pid,
      ended: failed,
      end: async () => {
        child.stdin.end();
        await end;
      },
    };
  }

  #spawn(args: ProgramArguments, { heapMb, collector }: JvmSettings): ChildProcessByStdio<Writable, Readable, null> {
    const classPath = ['classes', ...this.#jars()].map((name) => join(this.#folder, name)).join(delimiter);
    const jvm = [`-Xms${heapMb}m`, `-Xmx${heapMb}m`, `-XX:+Use${collector}GC`];
    const given = Object.entries(args).map(([name, value]) => `${name}=${value}`);
    return spawn(this.#java, [...jvm, '-cp', classPath, this.#main, ...given], { stdio: ['pipe', 'pipe', 'inherit'] });
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

/** Its exit code, or the signal that ended it. */
async function ended(child: ChildProcess): Promise<number | string> {
  // A benchmark that is interrupted takes its peer with it.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve(code ?? signal ?? 'unknown');
      });
    });
  } finally {
    process.off('exit', kill);
  }
}
