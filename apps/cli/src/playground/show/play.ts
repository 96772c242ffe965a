// A show: a fleet on a stage, its closes on the screen, and the comparison with its ledger at the end.
//
// Owns: the fleet, the reading of the output, the phases.
// Does not own: the stage (Stage), the view (Display), the judgement (FleetCheck).
//
//   waiting for partitions → fleet runs → waiting for the last closes → checking → done
//
// Invariants
//   DM1  The verdict is by a second reading of the whole output topic, after the last session has closed and nothing is
//        live any more: a close too many would be in it.
import { count, counted, type DurationMs } from '@flatline/base';
import {
  openSummaryConsumer,
  type OutputRecord,
  type SummaryConsumer,
  type SummaryRecord,
} from '@flatline/client/parts';
import { ExitCode } from '../../exit-code.ts';
import {
  planProblems,
  type LedgerEntry,
  FleetCheck,
  type FleetVerdict,
  type ObservedOutput,
  type RunningFleet,
  startFleet,
} from '@flatline/fleet';
import { CommandFailure, usageFailure } from '../../failure.ts';
import { pause, whileWaiting } from '@flatline/system';
import type { Shell } from '../../shell.ts';
import { unlessStopped } from '../../stop.ts';
import type { Console } from '../../terminal/console.ts';
import { Closes } from './closes.ts';
import { Display } from './display.ts';
import { Monitor } from './monitor.ts';
import { fleetPlan, type FleetSize } from './settings.ts';
import { type Stage, inputOf, outputOf } from './stage.ts';

export interface PlayOptions extends FleetSize {
  readonly forMs: DurationMs | undefined;
  /** Check and end once every session has closed; else show until stopped. */
  readonly exitWhenDone: boolean;
  /** Told once the processor is ready, and before the fleet begins; returns what it has said to a person. */
  readonly onReady?: (stage: Stage) => string;
}

const LOOK_EVERY_MS: DurationMs = 200;
const READY_WITHIN_MS: DurationMs = 60_000;
/** After the last session has fallen silent, at most this long beyond its timeout until its close is read. */
const CLOSE_WITHIN_MS: DurationMs = 60_000;

/** @throws CommandFailure where the plan cannot be; whatever ends the processor or the reading of its output. */
export async function play(stage: Stage, options: PlayOptions, console: Console, shell: Shell): Promise<ExitCode> {
  const playing = new Play(stage, options, console, shell);
  return playing.run();
}

class Play {
  readonly #stage: Stage;
  readonly #options: PlayOptions;
  readonly #console: Console;
  readonly #shell: Shell;
  readonly #closes = new Closes();
  readonly #monitor: Monitor;
  readonly #ledger: LedgerEntry[] = [];
  /** Follows along, to know when all has closed. */
  readonly #check: FleetCheck;
  #phase: string | undefined;

  constructor(stage: Stage, options: PlayOptions, console: Console, shell: Shell) {
    this.#stage = stage;
    this.#check = new FleetCheck(stage.show.timeoutMs);
    this.#monitor = new Monitor(stage.show.timeoutMs);
    this.#options = options;
    this.#console = console;
    this.#shell = shell;
  }

  async run(): Promise<ExitCode> {
    const { stop, clock } = this.#shell;
    await this.#ready();
    if (stop.signal.aborted) return this.#stopped();
    const above = this.#options.onReady?.(this.#stage) ?? '';
    const running = await unlessStopped(this.#startFleet(), stop);
    if (running === undefined) return this.#stopped();
    const parts = {
      stage: this.#stage,
      running,
      closes: this.#closes,
      monitor: this.#monitor,
      total: this.#options.sessions,
      above,
    };
    const display = new Display(parts, this.#console, clock);
    const following = this.#follow(this.#stage.consumer);
    const ended = Promise.race([
      this.#untilDone(running),
      stop.requested.then(() => 'stopped' as const),
      this.#stage.processor.finished.then(() => 'stopped' as const),
      // It ends only by failing: the consumer is closed after the play.
      following.then(() => 'stopped' as const),
    ]);
    const outcome = await whileWaiting(ended, { clock, everyMs: LOOK_EVERY_MS }, () => {
      display.show(this.#phase);
    });
    display.show(outcome === 'stopped' ? 'stopped' : 'done');
    this.#console.endRegion('keep');
    return outcome === 'stopped' ? this.#stopped() : this.#judge(outcome, running);
  }

  /** Sessions are remembered for the comparison where there is one, and so only where there is an end. */
  get #remembers(): boolean {
    return this.#options.exitWhenDone;
  }

  async #ready(): Promise<void> {
    const { clock, stop } = this.#shell;
    const { processor } = this.#stage;
    const giveUpAtMs = clock.monotonicMs() + READY_WITHIN_MS;
    while (!processor.isReady && !stop.signal.aborted) {
      await Promise.race([processor.finished, stop.requested, pause(clock, LOOK_EVERY_MS)]);
      if (clock.monotonicMs() > giveUpAtMs)
        throw new CommandFailure(
          ExitCode.partitionStopped,
          `the processor did not get ready within ${READY_WITHIN_MS / 1000} s: ${obstaclesOf(this.#stage)}`,
        );
    }
  }

  #startFleet(): Promise<RunningFleet> {
    const { forMs } = this.#options;
    const { clock, stop } = this.#shell;
    const { config, connection } = this.#stage;
    const plan = fleetPlan(this.#options, this.#stage.show);
    const problems = planProblems(plan);
    if (problems.length > 0) throw usageFailure(problems.join('\n'));
    const ending = new AbortController();
    if (forMs !== undefined)
      clock.after(forMs, () => {
        ending.abort();
      });
    const onEntry = (entry: LedgerEntry): void => {
      if (!this.#remembers) return;
      this.#ledger.push(entry);
      this.#check.expect(entry);
    };
    return startFleet({
      plan,
      format: 'json',
      topic: inputOf(config),
      clock,
      connection,
      registry: undefined,
      onEntry,
      onBeat: ({ sessionId, sequence }) => {
        this.#monitor.beat(sessionId, sequence === 0, clock.monotonicMs());
      },
      stop: AbortSignal.any([stop.signal, ending.signal]),
    });
  }

  async #follow(consumer: SummaryConsumer): Promise<void> {
    for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
      this.#closes.add(record);
      if (record.kind === 'summary') this.#onClosed(record.summary);
      const observed = observedOf(record);
      if (this.#remembers && observed !== undefined) this.#check.observe(observed);
    }
  }

  #onClosed({ key, reason }: SummaryRecord['summary']): void {
    this.#monitor.close(Buffer.from(key).toString(), reason, this.#shell.clock.monotonicMs());
  }

  /** Resolves with the verdict; without one to come, never. */
  async #untilDone(running: RunningFleet): Promise<FleetVerdict> {
    await running.finished;
    if (!this.#options.exitWhenDone) return new Promise(() => undefined);
    this.#phase = 'the fleet has fallen silent; waiting for the last sessions to close';
    const { clock } = this.#shell;
    const giveUpAtMs = clock.monotonicMs() + this.#stage.show.timeoutMs + CLOSE_WITHIN_MS;
    while (!this.#allClosed() && clock.monotonicMs() < giveUpAtMs) await pause(clock, LOOK_EVERY_MS);
    this.#phase = 'comparing the output topic with the ledger of the fleet';
    return this.#compare();
  }

  #allClosed(): boolean {
    const live = this.#stage.processor.snapshot().tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
    return this.#check.closed === this.#ledger.length && live === 0;
  }

  /** DM1. */
  async #compare(): Promise<FleetVerdict> {
    const { config, kafka } = this.#stage;
    const check = new FleetCheck(this.#stage.show.timeoutMs);
    for (const entry of this.#ledger) check.expect(entry);
    const topic = outputOf(config);
    const { consumer, close } = await openSummaryConsumer({ kafka, topic, from: 'beginning', until: 'end' });
    try {
      for await (const record of consumer) {
        const observed = observedOf(record);
        if (observed === undefined) throw new CommandFailure(ExitCode.failedCheck, unreadableText(topic, record));
        check.observe(observed);
      }
    } finally {
      await close();
    }
    return check.verdict();
  }

  #judge(verdict: FleetVerdict, { sender }: RunningFleet): ExitCode {
    const ok = verdict.violations === 0;
    this.#console.result(
      { kind: 'verdict', ok, ...verdict, heartbeats: sender.heartbeats },
      ok ? agreementText(verdict, this.#ledger) : violationsText(verdict),
    );
    this.#sayTopics();
    return ok ? ExitCode.ok : ExitCode.failedCheck;
  }

  #stopped(): ExitCode {
    this.#console.note(`Closed ${counted(this.#closes.closed, 'session')}.`);
    this.#sayTopics();
    return this.#options.exitWhenDone ? ExitCode.interrupted : ExitCode.ok;
  }

  #sayTopics(): void {
    const { broker, show, config } = this.#stage;
    if (broker.origin === 'own' && !show.broker.keep) return;
    this.#console.note(`Its topics stay: flatline sessions tail --no-follow --topic ${outputOf(config)}`);
  }
}

function observedOf(record: OutputRecord): ObservedOutput | undefined {
  if (record.kind === 'unreadable' || record.kind === 'update') return undefined;
  const sessionId = new TextDecoder().decode(record.kind === 'summary' ? record.summary.key : record.key);
  if (record.kind === 'tombstone') return { kind: 'tombstone', sessionId, incarnation: record.incarnation ?? '' };
  return { kind: 'summary', sessionId, ...record.summary };
}

function unreadableText(topic: string, record: OutputRecord): string {
  const detail = record.kind === 'unreadable' ? `: ${record.detail}` : '';
  return `${topic} holds a record that is no summary at ${record.partition}-${record.offset}${detail}`;
}

function obstaclesOf({ processor }: Stage): string {
  const { tasks } = processor.snapshot();
  if (tasks.length === 0) return 'no partition has been assigned to it';
  return tasks.map(({ partition, state, detail }) => `partition ${partition} is ${state} ${detail ?? ''}`).join(', ');
}

function agreementText(verdict: FleetVerdict, ledger: readonly LedgerEntry[]): string {
  const sum = (field: 'acknowledged' | 'duplicates' | 'lost' | 'reordered'): number =>
    ledger.reduce((total, entry) => total + entry[field], 0);
  const counts =
    `${counted(verdict.sessions, 'session')} with ${counted(sum('acknowledged'), 'heartbeat')}, ` +
    `${count(sum('duplicates'))} of them sent twice, ${count(sum('reordered'))} out of order, ${count(sum('lost'))} lost on the way; summaries and ledger agree`;
  if (verdict.split === 0) return `Every simulated session was closed exactly once: ${counts}.`;
  return (
    `Every simulated session was closed exactly once per life: ${counts}. ${count(verdict.split)} of them had several: ` +
    'this machine held the fleet up for longer than the timeout, so that the log shows a silence inside them.'
  );
}

function violationsText({ violations, firstViolations, sessions }: FleetVerdict): string {
  const shown = firstViolations.map(({ rule, sessionId, detail }) => `  ${rule}  ${sessionId} ${detail}`);
  const more = violations > shown.length ? [`  … and ${count(violations - shown.length)} more`] : [];
  return [`The output does not agree with the ledger of ${counted(sessions, 'session')}:`, ...shown, ...more].join(
    '\n',
  );
}
