// A processor in a separate process, as seen by benchmarks: its assignments, its cost, and its end.
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

  /** The only instance, once it runs all partitions. @throws Error if it ends before that, or takes too long. */
  static async alone(task: InstanceTask): Promise<Instance> {
    const instance = new Instance({ instance: 'a', ...task });
    await instance.until((assigned) => assigned.filter(({ state }) => state === 'running').length === task.partitions);
    return instance;
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  /** Where it answers over HTTP. */
  address(): Promise<string> {
    return this.#address;
  }

  async assigned(): Promise<readonly AssignedPartition[]> {
    const answer = await fetch(`${await this.#address}/api/v1/partitions`);
    return ((await answer.json()) as { partitions: AssignedPartition[] }).partitions;
  }

  /** Waits until its assignments are as wanted, and returns them. @throws Error if it ends, or that takes too long */
  async until(wanted: (assigned: readonly AssignedPartition[]) => boolean): Promise<readonly AssignedPartition[]> {
    const from = performance.now();
    for (;;) {
      const assigned = await this.assigned();
      if (wanted(assigned)) return assigned;
      if (performance.now() - from > PATIENCE_MS) throw new Error(`an instance is stuck: ${JSON.stringify(assigned)}`);
      await delay(LOOK_MS);
    }
  }

  /** @throws Error if it ends, or stalls, before it answers */
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
   * Answers once that many events have been applied since its start, and everything applied is committed.
   * @param warmUpEvents number of the first of them, which are not measured
   */
  applied(events: number, warmUpEvents = 0): Promise<InstanceAnswer> {
    return this.ask({ kind: 'applied', events, warmUpEvents });
  }

  /** Answers after that time, whatever happens meanwhile. */
  watch(forMs: DurationMs): Promise<InstanceAnswer> {
    return this.ask({ kind: 'watch', forMs });
  }

  look(): Promise<InstanceAnswer> {
    return this.ask({ kind: 'look' });
  }

  beginCost(): void {
    this.#begin('begin');
  }

  /** As `beginCost`, of its CPU alone: beside processes whose loops are not watched. */
  beginCpu(): void {
    this.#begin('beginCpu');
  }

  #begin(kind: 'begin' | 'beginCpu'): void {
    // An error that ends it is reported when its cost is asked for.
    void this.ask({ kind }).catch(() => undefined);
  }

  /** CPU since `beginCpu`, ms. */
  async cpuMs(): Promise<DurationMs> {
    return (await this.ask({ kind: 'cost' })).cpuMs;
  }

  /** Cost since `beginCost`. */
  async cost(): Promise<Pick<SpanCost, 'cpuMs' | 'loopDelay'>> {
    const { cpuMs, loopDelay } = await this.ask({ kind: 'cost' });
    return { cpuMs, loopDelay: loopDelay! };
  }

  /** Tells it to stop cleanly, and waits; no-op if it has ended. @throws Error if it fails to */
  async stop(): Promise<void> {
    await this.#address.catch(() => undefined);
    if (this.#hasEnded) return;
    this.depart('leave');
    await this.#process.exit;
    if (this.#process.child.exitCode !== 0) await this.ended;
  }

  /** Makes it depart, without waiting. */
  depart(how: 'kill' | 'leave'): void {
    this.#process.child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  /** Kills it with SIGKILL; no-op if it has ended. */
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
