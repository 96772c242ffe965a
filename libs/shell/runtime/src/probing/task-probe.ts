// Sends a record the whole way that a heartbeat goes, once in `probeIntervalMs`, and knows where it is (Q5).
//
// The problem. A partition may stand still in many places, each of which looks like silence from any other: a broker that takes no
// writes, a leader that does not show them, a transaction that is not ended. What is measured of the parts (lag, commits) comes
// from the parts themselves.
//
// The idea. A clock record with a name is sent by the partition's owner to its own input. It touches no entry, so outputs are what
// they were, and replay meets it as any clock record (C2, C5). Whatever it waits for, a heartbeat would wait for.
//
// Owns: the probe under way, when the next one begins, how long they took.
// Does not own: reading, applying and committing it: the task does that as it does all else.
//
// Invariants
//   QP1  One is under way at a time, and none begins before the last has gone all the way.
import { type Cancel, DurationHistogram, type DurationMs, type HistogramStatus, messageOf } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import type { LogEnds } from '@flatline/ports';
import type { Committer } from '../committing/committer.ts';
import type { SettledCuts } from '../committing/settled-cuts.ts';
import { PROBE_LOOK_MS, PROBE_PATIENCE_MS } from '../limits.ts';
import { type LoopEvents, unattended } from '../loop-events.ts';
import { RetryPause } from '../retry-pause.ts';
import type { TaskContext } from '../task-context.ts';
import { type ProbePlace, ProbeWay } from './probe-way.ts';

export interface TaskProbeParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  readonly committer: Committer;
  readonly settledCuts: SettledCuts;
  /** Records are in hand; and the ends of each input as of the newest answer. */
  readonly feed: { readonly hasRecords: boolean; readonly ends: readonly (LogEnds | undefined)[] };
  /** Names what the task waits for, as far as it knows. */
  readonly waitingFor: () => string | undefined;
  readonly events: LoopEvents;
}

/** The probes of one partition, as an operator sees them. */
export interface ProbeStatus {
  /** Durations of those that went all the way since the task has run here. */
  readonly durations: HistogramStatus;
  readonly lastMs: DurationMs | undefined;
  /** Where the one under way is, once it takes too long; undefined: none does. */
  readonly stuck: ProbePlace | undefined;
}

export class TaskProbe {
  readonly #parts: TaskProbeParts;
  readonly #intervalMs: DurationMs;
  readonly #durations = new DurationHistogram();
  readonly #abandon = new AbortController();
  #lastMs: DurationMs | undefined;
  /** Leaders of the inputs when they were last told. */
  #leaders: readonly string[] = [];
  #sent = 0;
  #way: ProbeWay | undefined;
  #onApplied: (() => void) | undefined;
  #timer: Cancel | undefined;

  constructor(parts: TaskProbeParts, intervalMs: DurationMs) {
    this.#parts = parts;
    this.#intervalMs = intervalMs;
    this.#begin();
  }

  status(): ProbeStatus {
    return { durations: this.#durations.status(), lastMs: this.#lastMs, stuck: this.#stuck() };
  }

  /** More may be applied. */
  look(): void {
    if (this.#onApplied === undefined || !this.#isApplied) return;
    this.#onApplied();
    this.#onApplied = undefined;
  }

  end(): void {
    this.#abandon.abort();
    this.#timer?.();
    this.#onApplied?.();
    this.#way?.end();
  }

  #begin(): void {
    const { clock } = this.#parts.context.ports;
    const startedAt = clock.monotonicMs();
    const way = new ProbeWay(clock);
    this.#way = way;
    const going = this.#go(way).then(() => {
      if (this.#abandon.signal.aborted) return;
      this.#lastMs = way.end();
      this.#durations.add(this.#lastMs);
      this.#way = undefined;
      this.#timer = clock.after(Math.max(0, startedAt + this.#intervalMs - clock.monotonicMs()), () => {
        this.#begin();
      });
    });
    unattended(going, this.#parts.events);
  }

  async #go(way: ProbeWay): Promise<void> {
    const { context, task, settledCuts, committer } = this.#parts;
    const { inputs, ports } = context;
    const leaders = (): Promise<readonly string[]> => Promise.all(inputs.map((input) => ports.admin.leaderName(input)));
    way.inputLeaders = this.#leaders;
    this.#leaders = (await this.#until(way, leaders)) ?? [];
    way.inputLeaders = this.#leaders;
    way.leg = 'append';
    this.#sent += 1;
    const offsets = await Promise.all(inputs.map((_, number) => this.#append(way, number)));
    if (this.#isOver()) return;
    way.offsets = offsets.map((offset) => offset!);
    way.leg = 'fetch';
    await this.#applied();
    if (this.#isOver()) return;
    way.leg = 'commit';
    void this.#nameWritten(way);
    const cuts = task.cutsUntilCommitted;
    if (cuts > 0 && !(await settledCuts.after(cuts, this.#abandon.signal))) return;
    const block = committer.lastBlockAt;
    way.leg = 'visible';
    while (!this.#isOver() && (await this.#until(way, () => this.#isSeen(way, block))) === false)
      await this.#pause(PROBE_LOOK_MS);
  }

  #isOver(): boolean {
    return this.#abandon.signal.aborted;
  }

  async #isSeen(way: ProbeWay, block: number): Promise<boolean> {
    const { changelog, ports } = this.#parts.context;
    way.changelogLeader = await ports.admin.leaderName(changelog);
    return (await ports.admin.ends(changelog)).lastStableOffset > block;
  }

  /** undefined: it is not waited for any more. */
  #append(way: ProbeWay, number: number): Promise<number | undefined> {
    const { inputs, settings, ports } = this.#parts.context;
    const name = `${settings.owner}/${this.#sent}`;
    return this.#until(way, () => ports.proofs.append(inputs[number]!, undefined, name));
  }

  /** For whoever asks what the commit waits for; where it cannot be told, nothing is. Never rejects. */
  async #nameWritten(way: ProbeWay): Promise<void> {
    const { changelog, settings, ports } = this.#parts.context;
    const output = { topic: settings.outputTopic, partition: changelog.partition };
    try {
      way.writtenLeaders = await Promise.all([changelog, output].map((each) => ports.admin.leaderName(each)));
    } catch (error) {
      way.trouble = messageOf(error);
    }
  }

  /** Tries until it is done; undefined: it is not waited for any more. What cannot be mended stops the task elsewhere. */
  async #until<T>(way: ProbeWay, attempt: () => Promise<T>): Promise<T | undefined> {
    const retryPause = new RetryPause(this.#parts.context.ports.clock);
    while (!this.#isOver()) {
      try {
        const done = await attempt();
        way.trouble = undefined;
        return done;
      } catch (error) {
        way.trouble = messageOf(error);
        await retryPause.pause();
      }
    }
    return undefined;
  }

  #applied(): Promise<void> {
    if (this.#isApplied) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onApplied = resolve;
    });
  }

  get #isApplied(): boolean {
    const { task } = this.#parts;
    return this.#way?.offsets.every((offset, input) => task.inputAt(input).position > offset) === true;
  }

  #pause(ms: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.context.ports.clock.after(ms, resolve);
    });
  }

  #stuck(): ProbePlace | undefined {
    const way = this.#way;
    if (way === undefined) return undefined;
    const { forMs } = way;
    if (forMs < PROBE_PATIENCE_MS) return undefined;
    const leg = way.leg === 'fetch' && this.#parts.feed.hasRecords ? 'clock' : way.leg;
    return { leg, forMs, waitsFor: [this.#waitedFor(way, leg), way.trouble].filter(Boolean).join(': ') };
  }

  #waitedFor(way: ProbeWay, leg: ProbePlace['leg']): string {
    const { context, waitingFor } = this.#parts;
    const { changelog } = context;
    const inputs = context.inputs.map(({ topic, partition }) => `${topic}/${partition}`).join(', ');
    const leaders = [...new Set(way.inputLeaders)].join(', ');
    const known = waitingFor();
    const written = way.writtenLeaders.length === 0 ? [] : [[...new Set(way.writtenLeaders)].join(', ')];
    switch (leg) {
      case 'produce':
        return `no broker says who leads ${inputs}${leaders === '' ? '' : `, as ${leaders} did`}`;
      case 'append':
        return `${leaders}, which leads ${inputs}, does not acknowledge a record`;
      case 'fetch':
        return (
          this.#openTransaction(way) ??
          `${leaders}, which leads ${inputs}, does not show what it acknowledged${known === undefined ? '' : `: ${known}`}`
        );
      case 'clock':
        return known ?? `what is read of ${inputs} is not applied`;
      case 'commit':
        return [
          known ?? 'its transaction is not ended, by its coordinator or who leads what it writes to',
          ...written,
        ].join(': ');
      case 'visible':
        return `${way.changelogLeader ?? 'no broker'} does not show ${changelog.topic}/${changelog.partition} up to its commit`;
    }
  }

  /** Readers get no further than where a transaction began that is open (F10). */
  #openTransaction({ offsets }: ProbeWay): string | undefined {
    const { context, feed } = this.#parts;
    const at = feed.ends.findIndex(
      (ends, input) =>
        ends !== undefined && ends.lastStableOffset < ends.highWatermark && ends.lastStableOffset <= offsets[input]!,
    );
    if (at < 0) return undefined;
    const { topic, partition } = context.inputs[at]!;
    return `a transaction of another producer is open on ${topic}/${partition} since offset ${feed.ends[at]!.lastStableOffset}`;
  }
}
