// One seed of a chain: sessions whose outputs start schedules, at once or by way of windows, in processes that run all of them, while
// processes are killed, frozen and started, and requests are lost. Then calm; then each pipeline is judged by its logs, what it has
// routed with them (P3).
import { partitionOf, type Random } from '@flatline/base';
import { calm, rough, scannedRecord, SimulatedDisk, type SimulatedHost, Simulation } from '@flatline/cluster';
import { kindOf, type PipelineConfig, type PipelineSection } from '@flatline/kind-modules';
import { CheckCalendar } from '@flatline/kind-modules/calendar';
import { type Routed, type RouteRules, type Routing, routingOf } from '@flatline/kinds/routing';
import {
  inputRecord,
  jsonEvent,
  type JudgedRules,
  keyedRecord,
  letterRecord,
  type LogSource,
  outputRecord,
  type PartitionHistory,
  plainRecord,
  type RawRecord,
  routedRecord,
  type VerificationReport,
  verifyHistories,
} from '@flatline/oracle';
import { PipelineInstance, type PipelineSettings, ProcessShare } from '@flatline/runtime';
import { committedParts, sourceOf } from '../judging/histories.ts';
import { settingsText } from '../settings-text.ts';

const MACHINES = ['a', 'b', 'c'] as const;
const KEYS = Array.from({ length: 12 }, (_, i) => `k${i}`);
const GROUPS = ['north', 'south', 'east'];
const STORM_MS = 30_000;
const CALM_MS = 60_000;
const APPLICATION = 'chain';
const utf8 = new TextEncoder();

interface Link {
  readonly name: string;
  readonly section: Readonly<Record<string, unknown>> & { readonly kind: PipelineSection['kind'] };
  readonly routes: readonly RouteRules[];
}

const REMIND = { 'flatline-delay-ms': '1s' } as const;
const VISITS = { kind: 'session', timeoutMs: 1_500 } as const;
const REMINDERS: Link = { name: 'reminders', section: { kind: 'schedule' }, routes: [] };

/** Two links: a timeout schedules, an end cancels. Three: groups of timeouts fall silent first, and some have no group. */
const CHAINS: Readonly<Record<2 | 3, readonly Link[]>> = {
  2: [
    {
      name: 'visits',
      section: VISITS,
      routes: [
        { on: ['TIMEOUT'], to: 'reminders-in', value: '/incarnation', headers: REMIND },
        { on: ['ENDED'], to: 'reminders-in', value: null },
      ],
    },
    REMINDERS,
  ],
  3: [
    {
      name: 'visits',
      section: VISITS,
      routes: [{ on: ['TIMEOUT'], to: 'groups-in', key: '/attributes/group', value: '/sessionId' }],
    },
    {
      name: 'groups',
      section: { kind: 'debounce', waitMs: 800 },
      routes: [{ to: 'reminders-in', value: '/items', headers: { ...REMIND, 'flatline-schedule-id': '/windowId' } }],
    },
    REMINDERS,
  ],
};

/** What becomes of what is routed, by its number. */
export type Spoil = (routed: Routed, number: number) => readonly Routed[];

interface Running {
  readonly host: SimulatedHost;
  readonly instances: readonly PipelineInstance[];
}

/** A pipeline of the chain in this world. */
interface Pipeline extends Link {
  readonly partitions: number;
  readonly config: PipelineConfig;
  readonly rules: JudgedRules;
}

export class ChainWorld {
  readonly simulation: Simulation;
  readonly pipelines: readonly Pipeline[];
  /** Errors that ended a process: there are to be none. */
  readonly failures: string[] = [];
  readonly #random: Random;
  readonly #spoil: Spoil | undefined;
  readonly #running = new Map<string, Running>();

  private constructor(seed: number, pipelines: readonly Pipeline[], spoil: Spoil | undefined) {
    this.#spoil = spoil;
    this.simulation = new Simulation({ seed, rates: rough });
    this.pipelines = pipelines;
    this.#random = this.simulation.random('chain');
    const { log } = this.simulation;
    for (const { name, partitions } of pipelines) {
      for (const topic of ['in', 'out', 'changelog', 'dead']) log.createTopic(`${name}-${topic}`, { partitions });
      this.simulation.group(groupOf(name), { partitions, standbys: 0, sessionTimeoutMs: 3_000 });
    }
  }

  /** `spoil`: a fault of the product. Default: it has none. */
  static async create(seed: number, length: 2 | 3, spoil?: Spoil): Promise<ChainWorld> {
    const random = new Simulation({ seed }).random('partitions');
    return new ChainWorld(
      seed,
      await Promise.all(CHAINS[length].map((link) => pipelineOf(link, 1 + random.below(3)))),
      spoil,
    );
  }

  /** Lives through the storm and the calm behind it. */
  async live(): Promise<void> {
    const { time, faults } = this.simulation;
    for (const name of MACHINES.slice(0, 2)) await this.#launch(name);
    await time.runFor(3_000);
    const until = time.nowMs + STORM_MS;
    while (time.nowMs < until) {
      this.#produce();
      await this.#disturb();
      await time.runFor(1 + this.#random.below(150));
    }
    faults.setRates(calm);
    for (const { host } of this.#up) host.resume();
    for (const name of MACHINES) await this.#launch(name);
    await time.runFor(CALM_MS);
  }

  get #up(): readonly Running[] {
    return [...this.#running.values()].filter(({ host }) => host.alive);
  }

  #produce(): void {
    const key = KEYS[this.#random.below(KEYS.length)]!;
    const group = GROUPS[this.#random.below(GROUPS.length)]!;
    const value = this.#random.chance(0.2)
      ? null
      : this.#random.chance(0.8)
        ? JSON.stringify({ type: 'VIEW', attributes: { group } })
        : '';
    const [{ partitions }] = this.pipelines as readonly [Pipeline];
    this.simulation.log.produce('visits-in', partitionOf(utf8.encode(key), partitions), { key, value });
  }

  async #disturb(): Promise<void> {
    const act = this.#random.below(60);
    const up = this.#up;
    const victim = up[this.#random.below(Math.max(1, up.length))];
    if (act === 0) victim?.host.kill();
    else if (act === 1 && victim !== undefined) {
      victim.host.pause();
      this.simulation.time.after(this.#random.below(8_000), () => {
        victim.host.resume();
      });
    } else if (act < 8) await this.#launch(MACHINES[this.#random.below(MACHINES.length)]!);
  }

  async #launch(name: string): Promise<void> {
    if (this.#running.get(name)?.host.alive === true) return;
    const { host, ports } = this.simulation.start(name);
    const random = this.simulation.random(`${name} at ${this.simulation.time.nowMicros}`);
    const share = new ProcessShare();
    const note = (): void => undefined;
    const instances: PipelineInstance[] = [];
    for (const pipeline of this.pipelines) {
      const { config } = pipeline;
      const kind = await kindOf(config).open({ pipeline: config, registry: undefined, clock: host });
      const instance = new PipelineInstance({
        share,
        settings: this.#settingsOf(pipeline, name),
        ports: {
          ...ports,
          // The disks of a machine outlive its processes.
          stores: ports.storesOn(new SimulatedDisk()),
          input: ports.reader,
          changelog: ports.reader,
          proofs: ports.proof,
          membership: ports.membership(groupOf(pipeline.name)),
          kind,
          entropy: { id: () => `${random.below(2 ** 32)}-${random.below(2 ** 32)}`, seed: () => random.below(2 ** 32) },
          turns: (callback) => {
            host.after(0, callback);
          },
          log: { info: note, warn: note, error: note },
        },
        onFatal: (error) => {
          this.failures.push(`${name}, ${pipeline.name}: ${error.message}`);
        },
      });
      instances.push(instance);
    }
    this.#running.set(name, { host, instances });
    for (const instance of instances) void instance.start();
  }

  #settingsOf({ name, partitions, rules, routes, config }: Pipeline, owner: string): PipelineSettings {
    const partitionsOf = (topic: string): number =>
      this.pipelines.find((each) => `${each.name}-in` === topic)!.partitions;
    const { input, tickMs, changelogFactor } = config;
    return {
      name,
      kind: config.kind,
      owner,
      group: groupOf(name),
      inputTopic: `${name}-in`,
      inputPartitions: partitions,
      outputTopic: `${name}-out`,
      changelogTopic: `${name}-changelog`,
      deadLetterTopic: `${name}-dead`,
      letterBytesMax: 100_000,
      transactionalId: (partition) => `${groupOf(name)}.${partition}`,
      input,
      tickMs,
      commitIntervalMs: 200,
      closeDelayMs: 20,
      proofIntervalMs: 100,
      startFrom: 'earliest',
      handoverMs: 3_000,
      drainMs: 500,
      changelogFactor,
      truncateLagMs: 600_000,
      truncateLagBytes: 1e12,
      rulesText: settingsText(rules),
      ...(routes.length > 0 && { routing: this.#spoiled(routingOf(config.kind, routes, partitionsOf)) }),
    };
  }

  #spoiled(routing: Routing): Routing {
    const spoil = this.#spoil;
    let number = 0;
    if (spoil === undefined) return routing;
    return { ...routing, of: (output) => routing.of(output).flatMap((routed) => spoil(routed, (number += 1))) };
  }

  /** What the logs of a pipeline say of it, with all that it has routed. */
  judge(pipeline: Pipeline): Promise<VerificationReport> {
    const { name, partitions, rules } = pipeline;
    const histories = Array.from({ length: partitions }, (_, partition) => this.#historyOf(pipeline, partition));
    return verifyHistories(histories, { rules, inputTopic: `${name}-in`, keyPartitions: partitions });
  }

  #historyOf({ name, config, routes }: Pipeline, partition: number): PartitionHistory {
    const { simulation } = this;
    const kept = <R>(what: string, read: (record: RawRecord) => R): LogSource<R> =>
      sourceOf(`${name}-${what}`, committedParts(simulation, `${name}-${what}`, partition, read));
    const readInput = (record: RawRecord) =>
      config.kind === 'session' ? inputRecord(record, jsonEvent) : keyedRecord(record);
    const targets = [...new Set(routes.map(({ to }) => to))];
    return {
      partition,
      input: this.#committed(`${name}-in`, partition, readInput),
      changelog: kept('changelog', plainRecord),
      output: kept('out', (record) => outputRecord(record)),
      deadLetters: kept('dead', letterRecord),
      ...(targets.length > 0 && {
        routed: { group: groupOf(name), topics: new Map(targets.map((topic) => [topic, this.#allOf(topic)])) },
      }),
      outputDecidedBelow: Infinity,
      whyUndone: () => Promise.resolve(undefined),
      isComplete: true,
    };
  }

  #allOf(topic: string): readonly ReturnType<typeof this.routedIn>[] {
    const { partitions } = this.pipelines.find(({ name }) => `${name}-in` === topic)!;
    return Array.from({ length: partitions }, (_, partition) => this.routedIn(topic, partition));
  }

  /** Records of a topic of routes, as they lie there. */
  routedIn(topic: string, partition: number) {
    return this.#committed(topic, partition, routedRecord);
  }

  #committed<R>(topic: string, partition: number, read: (record: RawRecord) => R): LogSource<R> {
    const records = this.simulation.log.committed(topic, partition).map(scannedRecord).map(read);
    return sourceOf(topic, [{ records, batches: [] }]);
  }
}

function groupOf(name: string): string {
  return `${APPLICATION}.${name}`;
}

async function pipelineOf(link: Link, partitions: number): Promise<Pipeline> {
  const { name, section: said, routes } = link;
  const module = kindOf(said);
  const topics = { input: { topic: `${name}-in` }, output: { topic: `${name}-out` } };
  const section = module.form.parse({ name, ...topics, ...said });
  const { maxKeyBytes, maxFutureMs, liveWithinMs } = section;
  const [first] = [section.input].flat();
  const input = { ...first!, maxKeyBytes, maxFutureMs, liveWithinMs, maxLeadMs: 60_000 };
  const config = {
    ...section,
    ...module.resolve(section, { reducers: {} }),
    input,
    routes,
  } as unknown as PipelineConfig;
  const { rules } = await kindOf(config).judging();
  const { tombstones } = config.output;
  const { heldTime, changelogFactor } = config;
  const common = { timestampType: 'LogAppendTime', maxKeyBytes, tombstones, proof: 'record', changelogFactor } as const;
  const judged = rules(config, { ...common, ...heldTime, unheardMs: 0, ...(routes.length > 0 && { routes }) });
  const calendar = new CheckCalendar(process.versions['tz'] ?? 'unknown');
  return {
    ...link,
    partitions,
    config,
    rules: config.kind === 'schedule' ? ({ ...judged, calendar } as JudgedRules) : judged,
  };
}
