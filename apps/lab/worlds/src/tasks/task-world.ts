// One seed of tasks: due messages that workers of the SDK work off under leases, while workers are frozen, cut off from the brokers,
// killed and started, leaders change, and requests are lost. Then calm, in which each task must come to its end.
import { type DurationMs, partitionOf, type Random } from '@flatline/base';
import { calm, rough, SimulatedDisk, type SimulatedHost, Simulation } from '@flatline/cluster';
import { kindOf, type PipelineConfig } from '@flatline/kind-modules';
import { pipelineSettings } from '@flatline/processor/deliveries';
import { PipelineInstance, ProcessShare } from '@flatline/runtime';
import { FATES } from './handler.ts';
import { TaskLedger } from './ledger.ts';
import { drawTasks, DUE, LOCKS, RESULTS, TASKS, type TaskScenario, WORKERS_GROUP } from './scenario.ts';
import { TaskWorker } from './task-worker.ts';
import { TokenGate } from './token-gate.ts';
import { WorkerFreezes } from './worker-freezes.ts';

const PROCESSORS = ['p', 'q'] as const;
const STORM_MS = 40_000;
const STEP_MAX_MS = 150;
const CALM_STEP_MS = 3_000;
const CALM_MAX_MS = 180_000;
const TASKS_MAX = 30;
const SESSION_TIMEOUT_MS = 3_000;
/** The workers' group lets one go soon, so that another has its partition, or late: a lease that it lost is its own again. */
const WORKER_SESSION_TIMEOUTS_MS: readonly DurationMs[] = [3_000, 8_000];
/** Two brokers' clocks differ by the clockSkewMs of workers at most. */
const BROKER_SKEW_MS = 140;
const ELECTED = [`${LOCKS}-in`, LOCKS, RESULTS, DUE, `${TASKS}-in`] as const;
const utf8 = new TextEncoder();

export class TaskWorld {
  readonly simulation: Simulation;
  readonly scenario: TaskScenario;
  readonly ledger = new TaskLedger();
  /** Errors that ended a process and are none of those that pass: there are to be none. */
  readonly failures: string[] = [];
  readonly lines: string[] = [];
  readonly #random: Random;
  readonly #freezes: WorkerFreezes;
  readonly #gate: TokenGate;
  readonly #processors = new Map<string, SimulatedHost>();
  readonly #workers = new Map<number, TaskWorker>();
  #launches = 0;
  #given = 0;

  constructor(seed: number) {
    this.scenario = drawTasks(seed);
    this.simulation = new Simulation({ seed, rates: rough });
    this.#random = this.simulation.random('tasks act');
    const { partitions, config, suspends } = this.scenario;
    this.#freezes = new WorkerFreezes(this.simulation, suspends);
    this.#gate = new TokenGate(this.simulation.faults);
    const { log } = this.simulation;
    const members = { partitions, standbys: 0, sessionTimeoutMs: SESSION_TIMEOUT_MS };
    for (const { input, output, changelogTopic, deadLetterTopic, group } of config.pipelines) {
      for (const topic of [input.topic, output.topic, changelogTopic, deadLetterTopic])
        log.createTopic(topic, { partitions });
      this.simulation.group(group, members);
    }
    log.createTopic(RESULTS, { partitions });
    const sessionTimeoutMs = WORKER_SESSION_TIMEOUTS_MS[this.#random.below(WORKER_SESSION_TIMEOUTS_MS.length)]!;
    this.simulation.group(WORKERS_GROUP, { ...members, sessionTimeoutMs });
    log.offsets.onCommitted = ({ group, partition, offset }) => {
      if (group === WORKERS_GROUP) this.ledger.commits.push({ partition, offset, at: this.simulation.trueMs() });
    };
  }

  /** Lives through the storm, and the calm behind it until every task has come to its end or too long has passed. */
  async live(isOver: () => boolean): Promise<void> {
    const { time, faults } = this.simulation;
    for (const name of PROCESSORS) await this.#process(name);
    for (let place = 0; place < this.scenario.workers; place += 1) this.#work(place);
    const until = time.nowMs + STORM_MS;
    while (time.nowMs < until) {
      this.#give();
      await this.#disturb();
      await time.runFor(1 + this.#random.below(STEP_MAX_MS));
    }
    faults.setRates(calm);
    this.#freezes.heal([...this.#workers.values()].map(({ host }) => host));
    const calmUntil = time.nowMs + CALM_MAX_MS;
    // Once more where all is over: what would be begun again has its chance.
    for (let times = 0; times < 2 && time.nowMs < calmUntil; times = isOver() ? times + 1 : 0) {
      for (const name of PROCESSORS) await this.#process(name);
      for (let place = 0; place < this.scenario.workers; place += 1) this.#work(place);
      await time.runFor(CALM_STEP_MS);
    }
  }

  #give(): void {
    if (this.#given >= TASKS_MAX || !this.#random.chance(0.15)) return;
    this.#given += 1;
    const key = `k${this.#given}`;
    const delay = String(this.#random.below(2_000));
    this.simulation.log.produce(`${TASKS}-in`, partitionOf(utf8.encode(key), this.scenario.partitions), {
      key,
      value: JSON.stringify({ fate: FATES[this.#random.below(FATES.length)]! }),
      headers: [{ name: 'flatline-delay-ms', value: utf8.encode(delay) }],
    });
  }

  async #disturb(): Promise<void> {
    const up = [...this.#workers.values()].filter(({ host }) => host.alive);
    this.#freezes.act(up.map(({ host }) => host));
    const act = this.#random.below(200);
    const { killsProcessors, partitions } = this.scenario;
    const { faults, log } = this.simulation;
    if (act < 8) this.#work(this.#random.below(this.scenario.workers));
    else if (act < 16) await this.#process(PROCESSORS[this.#random.below(PROCESSORS.length)]!);
    else if (act === 16 && up.length > 0) {
      up[this.#random.below(up.length)]!.leave();
      faults.count('workerLeft');
    } else if (act === 17 && killsProcessors) {
      this.#processors.get(PROCESSORS[this.#random.below(PROCESSORS.length)]!)!.kill();
      faults.count('processorKilled');
    } else if (act < 21) {
      const topic = ELECTED[this.#random.below(ELECTED.length)]!;
      const skewMs = this.#random.below(2 * BROKER_SKEW_MS + 1) - BROKER_SKEW_MS;
      log.partition(topic, this.#random.below(partitions)).changeLeader({ skewMs });
    }
  }

  /** Has a worker in this place, if none runs. */
  #work(place: number): void {
    if (this.#workers.get(place)?.host.alive === true) return;
    this.#launches += 1;
    const { simulation, scenario, ledger } = this;
    const worker = new TaskWorker(`w${place}.${this.#launches}`, {
      simulation,
      scenario,
      ledger,
      gate: this.#gate,
      freezes: this.#freezes,
      note: (line) => {
        this.lines.push(`${simulation.time.nowMs} ${line}`);
      },
    });
    this.#workers.set(place, worker);
    worker.run().catch((error: unknown) => {
      this.failures.push(`${worker.host.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  async #process(name: string): Promise<void> {
    if (this.#processors.get(name)?.alive === true) return;
    const { host, ports } = this.simulation.start(name);
    this.#processors.set(name, host);
    const share = new ProcessShare();
    for (const pipeline of this.scenario.config.pipelines) {
      const instance = await this.#instance(pipeline, { host, ports, share });
      void instance.start();
    }
  }

  async #instance(
    pipeline: PipelineConfig,
    { host, ports, share }: ReturnType<Simulation['start']> & { readonly share: ProcessShare },
  ): Promise<PipelineInstance> {
    const { config, partitions } = this.scenario;
    const random = this.simulation.random(`${pipeline.name} of ${host.name} at ${this.simulation.time.nowMicros}`);
    const facts = {
      inputPartitions: partitions,
      letterBytesMax: undefined,
      electsCleanly: true,
      partitionsOf: () => partitions,
    };
    const note = (): void => undefined;
    return new PipelineInstance({
      share,
      settings: { ...pipelineSettings(config, pipeline, facts), owner: host.name },
      ports: {
        ...ports,
        stores: ports.storesOn(new SimulatedDisk()),
        input: ports.reader,
        changelog: ports.reader,
        proofs: ports.proof,
        membership: ports.membership(pipeline.group),
        kind: await kindOf(pipeline).open({ pipeline, registry: undefined, clock: host }),
        entropy: { id: () => `${random.below(2 ** 32)}-${random.below(2 ** 32)}`, seed: () => random.below(2 ** 32) },
        turns: (callback) => {
          host.after(0, callback);
        },
        log: { info: note, warn: note, error: note },
      },
      onFatal: (error) => {
        this.failures.push(`${host.name}, ${pipeline.name}: ${error.message}`);
      },
    });
  }
}
