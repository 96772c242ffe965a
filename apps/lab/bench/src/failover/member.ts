// An instance of the processor as the benchmark sees it: what it holds, and its end.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bindToExit } from '../exit-bound.ts';
import type { Application } from '../frame/application.ts';
import { profiling } from '../measured-process.ts';
import type { Departure, MemberCost, MemberTask } from './failover-scenario.ts';

export interface HeldPartition {
  readonly role: 'owner' | 'standby';
  readonly partition: number;
  readonly state: string;
  readonly lag: number | null;
  readonly liveEntries: number;
  readonly restoreMs?: DurationMs;
  readonly takeoverMs?: DurationMs;
}

/** How long its group waits for an instance that has no others. */
const ALONE_SESSION_MS: DurationMs = 10_000;
const LOOK_MS: DurationMs = 50;
const PATIENCE_MS: DurationMs = 120_000;

export class Member {
  /** Rejects once it has ended. */
  readonly ended: Promise<never>;
  readonly #child: ChildProcess;
  readonly #address: string;

  private constructor(child: ChildProcess, address: string, ended: Promise<never>) {
    this.#child = child;
    this.#address = address;
    this.ended = ended;
  }

  /** The only instance, once it runs all partitions. @throws Error where it ends before that, or takes too long. */
  static async alone(
    { application, brokers, topic, stateDir, partitions }: Application,
    settings: Pick<MemberTask, 'timeoutMs' | 'proofIntervalMs' | 'compression'>,
  ): Promise<Member> {
    const alone = { instance: 'a', standbys: 0, sessionTimeoutMs: ALONE_SESSION_MS };
    const member = await Member.start({ ...alone, ...settings, application, brokers, topic, stateDir });
    await member.until((held) => held.filter(({ state }) => state === 'running').length === partitions);
    return member;
  }

  /** @throws Error where it ends instead of starting. */
  static async start(task: MemberTask): Promise<Member> {
    mkdirSync(task.stateDir, { recursive: true });
    const script = import.meta.filename.replace(/member(\.\w+)$/, 'member-process$1');
    const execArgv = [...process.execArgv, ...profiling('flatline')];
    const child = bindToExit(fork(script, [JSON.stringify(task)], { execArgv }));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`instance ${task.instance} has ended`)));
    const [address] = (await Promise.race([once(child, 'message'), ended])) as [string];
    ended.catch(() => undefined);
    return new Member(child, address, ended);
  }

  async holds(): Promise<readonly HeldPartition[]> {
    const answer = await fetch(`${this.#address}/api/v1/partitions`);
    return ((await answer.json()) as { partitions: HeldPartition[] }).partitions;
  }

  /** Waits until what it holds is as wanted, and returns it. @throws Error where that takes too long */
  async until(wanted: (held: readonly HeldPartition[]) => boolean): Promise<readonly HeldPartition[]> {
    const from = performance.now();
    for (;;) {
      const held = await this.holds();
      if (wanted(held)) return held;
      if (performance.now() - from > PATIENCE_MS) throw new Error(`an instance is stuck: ${JSON.stringify(held)}`);
      await delay(LOOK_MS);
    }
  }

  beginCost(): void {
    this.#child.send('begin');
  }

  /** Since `beginCost`. @throws Error where it has ended */
  async cost(): Promise<MemberCost> {
    const answer = once(this.#child, 'message') as Promise<[MemberCost]>;
    this.#child.send('end');
    return (await Promise.race([answer, this.ended]))[0];
  }

  /** In good order, and waits for it. */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.depart('leave');
    await exit;
  }

  depart(how: Departure): void {
    this.#child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}
