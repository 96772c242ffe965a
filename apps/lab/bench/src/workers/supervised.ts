// `flatline run --workers` as measured processes: their addresses, their assignments, their cost, and their end.
//
// Owns: the supervisor's process.
// Does not own: its workers, which end with it.
import type { DurationMs } from '@flatline/base';
import type { ConfigurationInput } from '@flatline/config';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bindToExit } from '../exit-bound.ts';
import { type Application, PIPELINE } from '../tasks/application.ts';
import type { AssignedPartition } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';

const execFileAsync = promisify(execFile);
const COMMAND = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url));
/** A busy machine must not make a worker look dead. */
const GROUP_SESSION_MS: DurationMs = 30_000;
const LOOK_MS: DurationMs = 50;
const PATIENCE_MS: DurationMs = 120_000;
/** Lines of its log that an error quotes. */
const LAST_LINES = 20;

export type WorkerPartition = AssignedPartition & { readonly worker: number };

export interface Processes {
  readonly supervisor: number;
  readonly workers: readonly number[];
}

export class Supervised {
  readonly group: string;
  /** Rejects once it has ended. */
  readonly ended: Promise<never>;
  readonly #child: ChildProcess;
  readonly address: string;

  private constructor(child: ChildProcess, said: Said, application: Application) {
    this.#child = child;
    this.address = said.address;
    this.ended = said.ended;
    this.group = `${application.application}.${PIPELINE}`;
  }

  /** Resolves once it answers. @throws Error if it ends before that */
  static async start(
    application: Application,
    workers: number,
    settings: Partial<ConfigurationInput> = {},
  ): Promise<Supervised> {
    const config = join(application.stateDir, 'flatline.config.json');
    writeFileSync(config, JSON.stringify({ ...configurationOf(application), ...settings }));
    // The command refuses topics that differ from those it would create.
    await execFileAsync(process.execPath, [
      ...process.execArgv,
      COMMAND,
      'topics',
      'alter',
      '--apply',
      '--config',
      config,
    ]);
    const flags = ['run', '--config', config, '--json', '--instance', 'bench', '--workers', String(workers)];
    // With a channel it ends if this process is killed.
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = bindToExit(spawn(process.execPath, [...process.execArgv, COMMAND, ...flags], { stdio: [...stdio] }));
    return new Supervised(child, await saidBy(child), application);
  }

  /** Waits until the assignments of its workers are as wanted. @throws Error if it ends, or that takes too long */
  async until(wanted: (held: readonly WorkerPartition[]) => boolean): Promise<void> {
    const giveUpAtMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const { partitions } = await this.#asked<{ partitions: WorkerPartition[] }>('/api/v1/partitions');
      if (wanted(partitions)) return;
      if (performance.now() > giveUpAtMs) throw new Error(`the workers are stuck: ${JSON.stringify(partitions)}`);
      await delay(LOOK_MS);
    }
  }

  async processes(): Promise<Processes> {
    const { workers } = await this.#asked<{ workers: { pid: number }[] }>('/api/v1/workers');
    return { supervisor: this.#child.pid!, workers: workers.map(({ pid }) => pid) };
  }

  /** Bytes of its metrics for Prometheus. */
  async scrape(): Promise<number> {
    const answer = await Promise.race([fetch(`${this.address}/metrics`), this.ended]);
    return (await answer.arrayBuffer()).byteLength;
  }

  /** Stops it cleanly. @throws Error if it fails to */
  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
    if (this.#child.exitCode !== 0) await this.ended;
  }

  async #asked<Answer>(path: string): Promise<Answer> {
    const answer = await Promise.race([fetch(`${this.address}${path}`), this.ended]);
    return (await answer.json()) as Answer;
  }
}

function configurationOf({ application, brokers, stateDir, topic }: Application): ConfigurationInput {
  const output = { topic: `${application}.output`, format: 'json' as const };
  // The backlog chooses the partition itself.
  const input = { topic, partitioner: 'any' as const };
  return {
    application,
    brokers: [...brokers],
    stateDir,
    http: { port: 0 },
    kafka: { sessionTimeoutMs: GROUP_SESSION_MS },
    pipelines: [{ name: PIPELINE, kind: 'session', timeoutMs: NEVER_MS, input, output }],
  };
}

interface Said {
  readonly address: string;
  readonly ended: Promise<never>;
}

async function saidBy(child: ChildProcess): Promise<Said> {
  const lines: string[] = [];
  const ended = once(child, 'exit').then((): never => {
    const how = child.signalCode ?? `code ${String(child.exitCode)}`;
    throw new Error(`flatline run ended with ${how}; it said last:\n${lines.slice(-LAST_LINES).join('\n')}`);
  });
  ended.catch(() => undefined);
  const address = new Promise<string>((resolve) => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > 2 * LAST_LINES) lines.splice(0, LAST_LINES);
        const found = /"address":"([^"]+)"/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
  });
  return { address: await Promise.race([address, ended]), ended };
}
