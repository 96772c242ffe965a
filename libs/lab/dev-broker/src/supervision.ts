// The owner's side of a supervisor: starts it, tracks its processes, forwards commands.
//
// Owns: the channel.
// Does not own: the processes (the supervisor's), readiness (the caller's).
import { Fatal } from '@flatline/base';
import { fork, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SupervisorCommand, type SupervisorPlan, type SupervisorReport } from './supervisor-plan.ts';

export class Supervision {
  readonly #supervisor: ChildProcess;
  readonly #pids = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #lastExit: { readonly name: string; readonly how: string } | undefined;
  #over = false;
  #waits = 0;

  constructor(plan: SupervisorPlan) {
    const file = join(plan.dataDir, 'plan.json');
    writeFileSync(file, JSON.stringify(plan, undefined, 2));
    const source = import.meta.url.endsWith('.ts');
    const script = fileURLToPath(new URL(source ? './supervisor.ts' : './supervisor.js', import.meta.url));
    this.#supervisor = fork(script, [file], {
      detached: true,
      stdio: 'ignore',
      // Only its own flags: the owner's (inspector ports, loaders) are not for it.
      // Unbuilt, packages of the workspace are found in their sources.
      execArgv: source ? ['--conditions=@flatline/source', '--disable-warning=ExperimentalWarning'] : [],
      cwd: plan.dataDir,
    });
    this.#supervisor.on('message', (message) => {
      this.#onReport(message as SupervisorReport);
    });
    this.#supervisor.on('exit', () => {
      this.#over = true;
      this.#pids.clear();
      this.#wake();
    });
    this.#supervisor.on('error', () => {
      this.#over = true;
      this.#wake();
    });
  }

  pidOf(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** The last process that ended, and how. */
  get lastExit(): { readonly name: string; readonly how: string } | undefined {
    return this.#lastExit;
  }

  /** True once the supervisor has ended, and with it everything that it ran. */
  get over(): boolean {
    return this.#over;
  }

  send(command: SupervisorCommand): void {
    if (!this.#over && this.#supervisor.connected) this.#supervisor.send(command, () => undefined);
  }

  /** Resolves when `condition` holds; it is checked again after each report. The owner stays alive meanwhile. */
  async until(condition: () => boolean): Promise<void> {
    this.#supervisor.ref();
    this.#supervisor.channel?.ref();
    this.#waits += 1;
    try {
      while (!condition()) {
        if (this.#over) throw new Fatal('the supervisor of the broker has ended, and with it what it ran');
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.letGo();
    }
  }

  /** Stops everything; resolves when it has ended. */
  async end(): Promise<void> {
    this.send({ kind: 'end' });
    await this.until(() => this.#over);
  }

  /** Lets the owner's event loop end without the broker. An owner that ends takes it along. */
  letGo(): void {
    this.#supervisor.unref();
    this.#supervisor.channel?.unref();
  }

  #onReport(report: SupervisorReport): void {
    if (report.kind === 'spawned') this.#pids.set(report.name, report.pid);
    else {
      this.#pids.delete(report.name);
      this.#lastExit = report;
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
