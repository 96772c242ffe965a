// A processor in a process of its own, as benchmarks see it: what it holds, what it costs, and its end.
import type { DurationMs } from '@flatline/base';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { profiling, sibling } from '../apart.ts';
import { forked, type Forked } from '../forked.ts';
import { PIPELINE } from '../tasks/application.ts';
import type {
  InstanceAnswer,
  InstanceQuestion,
  InstanceTask,
  RunningContender,
  SpanCost,
} from '../tasks/instance-task.ts';

export interface AssignedPartition {
  readonly role: 'owner' | 'standby';
  readonly partition: number;
  readonly state: string;
  readonly lag: number | null;
  readonly liveEntries: number;
  readonly restoreMs?: DurationMs;
  readonly takeoverMs?: DurationMs;
  readonly position?: number;
  readonly committedPosition?: number;
  readonly changelogBytes?: number;
  readonly liveBytes?: number;
}

const LOOK_MS: DurationMs = 50;
const PATIENCE_MS: DurationMs = 120_000;

export class Instance implements RunningContender {
  readonly group: string;
  /** Rejects once it has ended. */
  readonly ended: Promise<never>;
  readonly #process: Forked;
  readonly #address: Promise<string>;
  /** Questions are answered in their order. */
  readonly #asked: ((answer: InstanceAnswer) => void)[] = [];

  constructor(task: InstanceTask) {
    mkdirSync(task.stateDir, { recursive: true });
    const execArgv = [...process.execArgv, '--expose-gc', ...profiling('flatline')];
    const script = sibling(import.meta.filename, 'instance-process');
    const { application, instance = 'the processor' } = task;
    this.group = `${application}.${PIPELINE}`;
    this.#process = forked(script, [JSON.stringify(task)], execArgv, `${instance} of ${application}`);
    const { child, ended } = this.#process;
    this.ended = ended;
    const address = once(child, 'message').then(([said]) => {
      child.on('message', (answer: InstanceAnswer) => {
        this.#asked.shift()!(answer);
      });
      return said as string;
    });
    this.#address = Promise.race([address, this.ended]);
    this.#address.catch(() => undefined);
  }

  /** The only instance, once it runs all partitions. @throws Error where it ends before that, or takes too long. */
  static async alone(task: InstanceTask): Promise<Instance> {
    const instance = new Instance({ instance: 'a', ...task });
    await instance.until((assigned) => assigned.filter(({ state }) => state === 'running').length === task.partitions);
    return instance;
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  async assigned(): Promise<readonly AssignedPartition[]> {
    const answer = await fetch(`${await this.#address}/api/v1/partitions`);
    return ((await answer.json()) as { partitions: AssignedPartition[] }).partitions;
  }

  /** Waits until what it holds is as wanted, and returns it. @throws Error where it ends, or that takes too long */
  async until(wanted: (assigned: readonly AssignedPartition[]) => boolean): Promise<readonly AssignedPartition[]> {
    const from = performance.now();
    for (;;) {
      const assigned = await this.assigned();
      if (wanted(assigned)) return assigned;
      if (performance.now() - from > PATIENCE_MS) throw new Error(`an instance is stuck: ${JSON.stringify(assigned)}`);
      await delay(LOOK_MS);
    }
  }

  /** @throws Error where it ends, or stalls, before it answers */
  async ask(question: InstanceQuestion): Promise<InstanceAnswer> {
    await this.#address;
    if (this.#hasEnded) return this.ended;
    const answer = new Promise<InstanceAnswer>((resolve) => {
      this.#asked.push(resolve);
      this.#process.tell(question);
    });
    return Promise.race([answer, this.ended]);
  }

  /**
   * Answers once so many events are applied since it started, and all that is applied is committed.
   * @param warmUpEvents of them, those that come first and are not measured
   */
  applied(events: number, warmUpEvents = 0): Promise<InstanceAnswer> {
    return this.ask({ kind: 'applied', events, warmUpEvents });
  }

  /** Answers after so long, whatever happens meanwhile. */
  watch(forMs: DurationMs): Promise<InstanceAnswer> {
    return this.ask({ kind: 'watch', forMs });
  }

  look(): Promise<InstanceAnswer> {
    return this.ask({ kind: 'look' });
  }

  beginCost(): void {
    // What ends it is reported where its cost is asked for.
    void this.ask({ kind: 'begin' }).catch(() => undefined);
  }

  /** Since `beginCost`. */
  async cost(): Promise<Pick<SpanCost, 'cpuMs' | 'loopDelay'>> {
    const { cpuMs, loopDelay } = await this.ask({ kind: 'cost' });
    return { cpuMs, loopDelay: loopDelay! };
  }

  /** Tells it to leave in good order, and waits for it; nothing where it has ended. @throws Error where it fails to */
  async stop(): Promise<void> {
    await this.#address.catch(() => undefined);
    if (this.#hasEnded) return;
    this.depart('leave');
    await this.#process.exit;
    if (this.#process.child.exitCode !== 0) await this.ended;
  }

  /** Tells it to go, and does not wait. */
  depart(how: 'kill' | 'leave'): void {
    this.#process.child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  /** With SIGKILL; nothing where it has ended. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    this.depart('kill');
    await this.#process.exit;
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode } = this.#process.child;
    return exitCode !== null || signalCode !== null;
  }
}
