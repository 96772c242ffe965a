// The frame of a trial: an application under load, the faults of the scenario, and the judgement afterwards.
//
// Owns: the application, its fleet.
// Does not own: the processors that the scenario starts, until they are handed over.
import type { PipelineConfig } from '@flatline/config';
import type { PipelineSection } from '@flatline/lab-kinds';
import type { InputTruth, VerificationReport } from '@flatline/oracle';
import { judge, judgeFurther, violationsOf } from '../check/judgement.ts';
import type { TrialContext, TrialResult, Violation } from '../scenario.ts';
import { Application, type ApplicationOptions, type FleetLoad, type ProcessorSettings } from '../stage/application.ts';
import type { Child } from '../stage/child.ts';
import { KindLoad } from '../stage/kind-load.ts';
import { sleep } from '../stage/sleep.ts';
import { editsWithout } from '../stage/guards.ts';
import { appendTimes } from '../stage/topic-dump.ts';
import { readOutputs } from '../stage/topic-records.ts';
import { awaitCloses, awaitEndings, awaitFurther, QUIESCENCE_MAX_MS, writeSentinels } from './ending.ts';

/** Longer than any trial: the fleet is interrupted. */
const ENDLESS = 100_000_000;

/** The silence that ends an entry, unless a scenario needs another. */
const TIMEOUT_MS = 1_500;

const usualLoad = { ratePerSecond: 300, heartbeatMs: 200, beats: 6, sessions: ENDLESS };

const UNSAFE_QUIESCENCE_MAX_MS = 10_000;

/** A restore, after the session timeout of a killed member, on a busy machine. */
const STARTS_WITHIN_MS = 120_000;

/** The first session's beats, its timeout, and a busy machine. */
const CLOSES_WITHIN_MS = 30_000;
const LOOK_MS = 100;

/** Exit code of an interrupted fleet. */
const INTERRUPTED_CODE = 130;

/** The scenario's own facts about its records and processors, and the end of its load. */
export interface Conclusion {
  /** Default: nothing that decodes is refused, and no stamp is ahead of the present. */
  readonly truth?: InputTruth;
  /** True if the processors' clocks, which stamp the outputs, are right. Default: true. */
  readonly stampsAreTrue?: boolean;
  readonly load?: 'interrupt' | 'finish';
}

/** Differences from the usual application. */
interface TrialOptions extends Partial<Omit<ApplicationOptions, 'pipeline'>> {
  /** Added to the settings of its kind. */
  readonly pipeline?: Partial<PipelineSection>;
}

export class Trial {
  readonly application: Application;
  readonly context: TrialContext;
  readonly faultsAt: number[] = [];
  readonly facts: Record<string, string | number> = {};
  readonly violations: Violation[] = [];
  armed = 0;
  fired = 0;
  variant = '';
  #fleet: Child | undefined;
  #load: KindLoad | undefined;

  private constructor(context: TrialContext, application: Application) {
    this.context = context;
    this.application = application;
  }

  static async begin(context: TrialContext, options: TrialOptions = {}): Promise<Trial> {
    const { name, broker, traffic, seed } = context;
    const { timeoutMs = TIMEOUT_MS } = options;
    // Both of one kind, which TypeScript does not follow.
    const pipeline = { ...traffic.section(timeoutMs, seed), ...options.pipeline } as PipelineSection;
    const application = new Application({ ...options, name, brokers: broker.bootstrap, timeoutMs, pipeline });
    await application.createTopics();
    return new Trial(context, application);
  }

  load(changes: Partial<FleetLoad> = {}): void {
    const { traffic, seed } = this.context;
    const { sender } = traffic;
    const { ratePerSecond } = { ...usualLoad, ...changes };
    if (sender.by === 'fleet') this.#sendFleet(changes);
    else this.#load = new KindLoad(this.application, sender, { ratePerSecond, seed });
  }

  #sendFleet(changes: Partial<FleetLoad>): void {
    this.#fleet = this.application.fleet({ ...usualLoad, seed: this.context.seed, ...changes });
  }

  /** Waits for the end of a fleet that has one, or interrupts it. @throws Error if it failed: the trial then shows nothing */
  async endLoad(how: 'interrupt' | 'finish' = 'interrupt'): Promise<void> {
    await this.#load?.end();
    this.#load = undefined;
    const fleet = this.#fleet;
    if (fleet === undefined) return;
    this.#fleet = undefined;
    const { code } = how === 'finish' ? await fleet.ended : await fleet.terminate();
    if (code !== 0 && code !== INTERRUPTED_CODE)
      throw new Error(`the fleet ended with ${code}: ${fleet.lines.slice(-5).join('\n')}`);
  }

  processor(instance = 'a', { edits = [], ...settings }: ProcessorSettings = {}): Child {
    const unguarded = editsWithout(this.context.unsafe);
    return this.application.processor(instance, { ...settings, edits: [...unguarded, ...edits] });
  }

  /** Starts a processor and waits for a running task. @throws Error with its last lines if there is none in time */
  async started(instance = 'a', settings: ProcessorSettings = {}): Promise<Child> {
    const processor = this.processor(instance, settings);
    if ((await processor.line(/task runs/, STARTS_WITHIN_MS)) === undefined)
      throw new Error(`no task runs after ${STARTS_WITHIN_MS} ms: ${processor.lines.slice(-5).join(' | ')}`);
    return processor;
  }

  /** Waits for a close: guards of closes show only in commits that have some. @throws Error if none comes */
  async firstClose(): Promise<void> {
    for (let waitedMs = 0; waitedMs < CLOSES_WITHIN_MS; waitedMs += LOOK_MS) {
      if ((await readOutputs(this.application)).length > 0) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`no session is closed after ${CLOSES_WITHIN_MS} ms`);
  }

  /** Notes that a fault has demonstrably happened, now. */
  hit(): void {
    this.fired += 1;
    this.faultsAt.push(Date.now());
  }

  /** Ends the load, waits until everything due is closed, ends the processors and has their logs judged. */
  async conclude(
    processors: readonly Child[],
    { truth, stampsAreTrue = true, load }: Conclusion = {},
  ): Promise<TrialResult> {
    const { application, faultsAt } = this;
    await this.endLoad(load);
    // Closes lost for want of a guard will never come.
    const withinMs = this.context.unsafe === undefined ? QUIESCENCE_MAX_MS : UNSAFE_QUIESCENCE_MAX_MS;
    const { waitedMs, quiescent } =
      this.context.traffic.sender.by === 'fleet'
        ? await awaitCloses(application, await writeSentinels(application), { truth, withinMs })
        : await awaitEndings(application, { withinMs });
    const isWhole = quiescent && (await awaitFurther(application, withinMs));
    if (!isWhole) this.violations.push({ rule: 'X5', subject: application.group, detail: 'not quiescent in time' });
    this.facts['quiescentAfterMs'] = Math.round(waitedMs);
    for (const processor of processors) await this.endCleanly(processor);
    const report = await judge(application, truth);
    Object.assign(this.facts, factsOf(report));
    for (const pipeline of application.further) await this.#judgeFurther(pipeline);
    return {
      variant: this.variant,
      armed: this.armed,
      fired: this.fired,
      facts: this.facts,
      violations: [...this.violations, ...violationsOf(report)],
      recoveriesMs: stampsAreTrue ? recoveries(faultsAt, await appendTimes(application)) : [],
      closes: report.closed,
      records: report.records.input,
      closeDelayMaxMs: report.delaysMs.max,
    };
  }

  async #judgeFurther(pipeline: PipelineConfig): Promise<void> {
    const report = await judgeFurther(this.application, pipeline);
    this.violations.push(...violationsOf(report));
    this.facts[`records of ${pipeline.name}`] = report.records.input;
    this.facts[`closes of ${pipeline.name}`] = report.closed;
  }

  /** Expects it to be alive, and to exit with 0 on SIGTERM. */
  async endCleanly(processor: Child): Promise<void> {
    if (processor.ending !== undefined) {
      const { code, signal } = processor.ending;
      const detail = `ended by itself (${code ?? signal}): ${processor.lines.slice(-5).join(' | ')}`;
      this.violations.push({ rule: 'X5', subject: 'processor', detail });
      return;
    }
    const { code, signal } = await processor.terminate();
    if (code !== 0)
      this.violations.push({
        rule: 'R1',
        subject: 'processor',
        detail: `SIGTERM ended it with ${code ?? signal}: ${processor.lines.slice(-5).join(' | ')}`,
      });
  }
}

/** For the report: facts of interest to readers, and the necessary traces of a fault. */
function factsOf({ commits, reach, undecided }: VerificationReport): Record<string, string | number> {
  const { claims, abortedTransactions } = reach;
  const routed = reach.routed === 0 ? {} : { routed: reach.routed };
  const left = undecided.length === 0 ? {} : { undecided: undecided.slice(0, 3).join(' | ') };
  return { commits, claims, abortedTransactions, ...routed, ...left };
}

/** From each fault to the first output appended after it, if it came before the next fault. */
export function recoveries(faultsAt: readonly number[], appendTimes: readonly number[]): number[] {
  return faultsAt.flatMap((at, index) => {
    const next = appendTimes.find((time) => time > at);
    const until = faultsAt[index + 1] ?? Infinity;
    return next === undefined || next > until ? [] : [next - at];
  });
}
