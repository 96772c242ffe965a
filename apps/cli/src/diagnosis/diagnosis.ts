// Everything a defect report needs, which its reporter would otherwise be asked for, in one file.
//
// Owns: the last lines of the log, the diagnosis files of a folder.
// Does not own: the log, the processor it asks.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, freemem, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@flatline/base';
import { makeDirectory } from '@flatline/system';
import type { FlatlineConfig } from '@flatline/config';
import type { RuntimeLog, TaskStatus } from '@flatline/runtime';
import { REMOVED, secretsOf, shownError, withoutQuotations, withoutRecords, withoutSecrets } from './redaction.ts';

type Facts = Readonly<Record<string, unknown>>;

const LINES_MAX = 200;
/** A supervisor restarts what ends with a defect: the oldest files go. */
const FILES_MAX = 10;
const SECRET_MIN = 4;
const PREFIX = 'flatline-diagnosis-';

export interface DiagnosisParts {
  readonly clock: Clock;
  readonly args: readonly string[];
  readonly version: string;
  /** Where a file goes while no state directory is known. Default: the system's for temporary files. */
  readonly folder?: string;
}

export class Diagnosis {
  readonly #parts: DiagnosisParts;
  readonly #startedAtMs: number;
  readonly #lines: unknown[] = [];
  #config: FlatlineConfig | undefined;
  #tasks: () => readonly TaskStatus[] = () => [];

  constructor(parts: DiagnosisParts) {
    this.#parts = parts;
    this.#startedAtMs = parts.clock.monotonicMs();
  }

  configured(config: FlatlineConfig): void {
    this.#config = config;
  }

  observe(tasks: () => readonly TaskStatus[]): void {
    this.#tasks = tasks;
  }

  /** Passes on what is logged, and keeps the last of it. */
  watch(log: RuntimeLog): RuntimeLog {
    const both =
      (level: 'info' | 'warn' | 'error') =>
      (message: string, facts?: Facts): void => {
        this.#keep(level, message, facts);
        log[level](message, facts);
      };
    return { info: both('info'), warn: both('warn'), error: both('error') };
  }

  /** Where the file lies; undefined where none can be written. Synchronous, for a process that is about to end. Never throws. */
  write(error: unknown): string | undefined {
    const { folder = tmpdir() } = this.#parts;
    const text = this.#text(error);
    // A full disk may be the cause.
    for (const each of this.#config === undefined ? [folder] : [this.#config.stateDir, folder]) {
      const path = this.#writeInto(each, text);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  #keep(level: string, message: string, facts: Facts = {}): void {
    const time = new Date(this.#parts.clock.wallMs()).toISOString();
    this.#lines.push({ time, level, message: withoutQuotations(message), ...withoutRecords(facts) });
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }

  #text(error: unknown): string {
    const { clock, args, version } = this.#parts;
    // One of a letter or two would go from every word, and tells nothing where it stands by chance.
    const secrets = secretsOf(this.#config).filter(({ length }) => length >= SECRET_MIN);
    const content = {
      writtenAt: new Date(clock.wallMs()).toISOString(),
      upMs: clock.monotonicMs() - this.#startedAtMs,
      version,
      node: process.version,
      machine: { platform: platform(), release: release(), arch: arch(), cpus: availableParallelism() },
      memory: { ...process.memoryUsage(), free: freemem(), total: totalmem() },
      // Values of flags and arguments may be keys.
      command: args.map((each) => each.split('=')[0]!).filter((each, at) => at === 0 || /^--[a-z][a-z-]*$/.test(each)),
      error: shownError(error),
      configuration: withoutSecrets(this.#config),
      tasks: this.#taskStatus(),
      log: this.#lines,
    };
    const scrub = (_: string, value: unknown): unknown =>
      typeof value === 'string' ? secrets.reduce((kept, secret) => kept.replaceAll(secret, REMOVED), value) : value;
    return `${JSON.stringify(content, scrub, 2)}\n`;
  }

  /** The very part that is asked here may have failed. */
  #taskStatus(): unknown {
    try {
      return this.#tasks().map((task) => ({
        ...task,
        detail: task.detail === undefined ? undefined : withoutQuotations(task.detail),
      }));
    } catch (error) {
      return shownError(error);
    }
  }

  #writeInto(folder: string, text: string): string | undefined {
    const time = new Date(this.#parts.clock.wallMs()).toISOString().replaceAll(/[:.]/g, '-');
    const path = join(folder, `${PREFIX}${time}-${process.pid}.json`);
    try {
      makeDirectory(folder);
      writeFileSync(path, text, { mode: 0o600 });
    } catch {
      return undefined; // the next folder, or none: the caller says so
    }
    removeOldest(folder);
    return path;
  }
}

function removeOldest(folder: string): void {
  try {
    // Names begin with the time, so they sort by it.
    const files = readdirSync(folder).filter((name) => name.startsWith(PREFIX));
    for (const name of files.sort().slice(0, -FILES_MAX)) rmSync(join(folder, name), { force: true });
  } catch {
    // Somebody else's: they stay.
  }
}
