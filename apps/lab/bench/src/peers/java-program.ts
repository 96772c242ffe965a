// A peer that runs on Java: compiled by Maven once, run in a separate process with `name=value` arguments, answering with JSON.
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type RunningProgram, runProgram, startProgram, versionSaid } from './programs.ts';

export interface JvmSettings {
  readonly heapMb: number;
  /** G1, the default, pauses least; the parallel one takes least CPU, Kafka Streams up to half as much. */
  readonly collector: 'G1' | 'Parallel';
}

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

  /** `4.1.1` of `kafka-streams-4.1.1.jar`. @throws Error if there is no such jar */
  versionOf(artifact: string): string {
    const found = this.#jars().map((jar) => versionIn(jar, artifact));
    const version = found.find((each) => each !== undefined);
    if (version === undefined)
      throw new Error(`no ${artifact} in ${this.#folder}: remove that folder, it is made again`);
    return version;
  }

  /** `17.0.15`. */
  javaVersion(): Promise<string> {
    return versionSaid(this.#java, ['-version'], /version "([^"]+)"/);
  }

  /** Runs it to its end and returns its last line. @throws Error if it fails, with its output. */
  run<T>(args: ProgramArguments, jvm: JvmSettings): Promise<T> {
    return runProgram<T>(this.#java, this.#commandLine(args, jvm));
  }

  /** Starts it, waits for its first line, and leaves it running. @throws Error if it ends before that. */
  start(args: ProgramArguments, jvm: JvmSettings): Promise<RunningProgram> {
    return startProgram(this.#java, this.#commandLine(args, jvm));
  }

  #commandLine(args: ProgramArguments, { heapMb, collector }: JvmSettings): readonly string[] {
    const classPath = ['classes', ...this.#jars()].map((name) => join(this.#folder, name)).join(delimiter);
    const jvm = [`-Xms${heapMb}m`, `-Xmx${heapMb}m`, `-XX:+Use${collector}GC`];
    const given = Object.entries(args).map(([name, value]) => `${name}=${value}`);
    return [...jvm, '-cp', classPath, this.#main, ...given];
  }

  #jars(): readonly string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.jar'))
      .sort();
  }
}

/** Undefined if the jar is of another artifact. */
export function versionIn(jar: string, artifact: string): string | undefined {
  const version = jar.startsWith(`${artifact}-`) ? jar.slice(artifact.length + 1, -'.jar'.length) : '';
  return /^\d/.test(version) ? version : undefined;
}
