// One seed of a chain: pipelines of which one's outputs are another one's input, in processes that run all of them, while processes are
// killed, frozen and started, and requests are lost. Then calm; then each pipeline is judged by its logs, what it has routed with them
// (P3). In half of the worlds processes that are started from some moment on have other routes.
import type { Random } from '@flatline/base';
import {
  calm,
  rough,
  scannedBatch,
  scannedRecord,
  SimulatedDisk,
  type SimulatedHost,
  Simulation,
} from '@flatline/cluster';
import { type KindReaders, kindOf, type PipelineConfig } from '@flatline/kind-modules';
import { type RouteRules, routingOf } from '@flatline/kinds/routing';
import {
  type JudgedRules,
  letterRecord,
  type LogPart,
  type LogRecord,
  type LogSource,
  type PartitionHistory,
  plainRecord,
  type RawRecord,
  readBlock,
  routedRecord,
  settingsIn,
  type VerificationReport,
  verifyHistories,
} from '@flatline/oracle';
import { PipelineInstance, type PipelineSettings, ProcessShare } from '@flatline/runtime';
import { committedParts, sourceOf } from '../judging/histories.ts';
import { settingsText } from '../settings-text.ts';
import { type Chain, CHAINS, type ChainName, ChainTraffic, type Link } from './links.ts';

const MACHINES = ['a', 'b', 'c'] as const;
const STORM_MS = 30_000;
const CALM_MS = 60_000;
const APPLICATION = 'chain';

interface Running {
  readonly host: SimulatedHost;
  readonly instances: readonly PipelineInstance[];
}

/** A pipeline of the chain in this world. */
interface Pipeline extends Link {
  readonly partitions: number;
  readonly config: PipelineConfig;
  readonly rules: JudgedRules;
  readonly readers: KindReaders;
  /** As processes have them that are started later. */
  readonly later: Pick<Link, 'routes'> & { readonly rules: JudgedRules };
}

const CHANGED_WORLDS = 0.5;
/** From the beginning of the storm on. */
const CHANGE_MS = 12_000;

export class ChainWorld {
  readonly simulation: Simulation;
  readonly pipelines: readonly Pipeline[];
  /** Errors that ended a process: there are to be none. */
  readonly failures: string[] = [];
  readonly #random: Random;
  readonly #traffic: ChainTraffic;
  readonly #running = new Map<string, Running>();
  readonly #changesAtMs: number;

  private constructor(seed: number, pipelines: readonly Pipeline[], chain: Chain) {
    this.simulation = new Simulation({ seed, rates: rough });
    this.pipelines = pipelines;
    this.#random = this.simulation.random('chain');
    this.#traffic = new ChainTraffic(chain, this.simulation.random('traffic'));
    const changes = this.simulation.random('other routes');
    this.#changesAtMs = changes.chance(CHANGED_WORLDS) ? CHANGE_MS + changes.below(STORM_MS - CHANGE_MS) : Infinity;
    const { log } = this.simulation;
    for (const { name, partitions } of pipelines) {
      for (const topic of ['in', 'out', 'changelog', 'dead']) log.createTopic(`${name}-${topic}`, { partitions });
      this.simulation.group(groupOf(name), { partitions, standbys: 0, sessionTimeoutMs: 3_000 });
    }
  }

  /** `name`: default: as the seed draws it. */
  static async create(seed: number, name?: ChainName): Promise<ChainWorld> {
    const draw = new Simulation({ seed });
    const names = Object.keys(CHAINS) as readonly ChainName[];
    const chain: Chain = CHAINS[name ?? names[draw.random('chain').below(names.length)]!];
    const random = draw.random('partitions');
    const pipelines = chain.links.map((link) => pipelineOf(link, 1 + random.below(3)));
    return new ChainWorld(seed, await Promise.all(pipelines), chain);
  }

  /** Lives through the storm and the calm behind it. */
  async live(): Promise<void> {
    const { time, faults } = this.simulation;
    for (const name of MACHINES.slice(0, 2)) await this.#launch(name);
    await time.runFor(3_000);
    const until = time.nowMs + STORM_MS;
    while (time.nowMs < until) {
      this.#traffic.act(this.simulation.log);
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

  async #disturb(): Promise<void> {
    const act = this.#random.below(60);
    const up = this.#up;
    const victim = up[this.#random.below(Math.max(1, up.length))];
    if (act === 0 && victim !== undefined) {
      victim.host.kill();
      this.simulation.faults.count('killed');
    } else if (act === 1 && victim !== undefined) {
      victim.host.pause();
      this.simulation.faults.count('frozen');
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

  #settingsOf(pipeline: Pipeline, owner: string): PipelineSettings {
    const { name, partitions, config } = pipeline;
    const isLater = this.simulation.time.nowMs >= this.#changesAtMs;
    if (isLater) this.simulation.faults.count('otherRoutes');
    const { rules, routes } = isLater ? pipeline.later : pipeline;
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
      electsCleanly: true,
      proofIntervalMs: 100,
      startFrom: 'earliest',
      handoverMs: 3_000,
      drainMs: 500,
      changelogFactor,
      truncateLagMs: 600_000,
      truncateLagBytes: 1e12,
      rulesText: settingsText(rules),
      ...(routes.length > 0 && { routing: routingOf(kindOf(config).said, routes, partitionsOf) }),
    };
  }

  /** Judges a pipeline by its logs, with all that it has routed. `truncated`: its changelog begins where its last commit allows it. */
  async judge(pipeline: Pipeline, truncated = false): Promise<VerificationReport> {
    const { name, partitions, rules } = pipeline;
    const histories: PartitionHistory[] = [];
    for (let partition = 0; partition < partitions; partition += 1)
      histories.push(await this.#historyOf(pipeline, partition, truncated));
    return verifyHistories(histories, { rules, inputTopic: `${name}-in`, keyPartitions: partitions });
  }

  async #historyOf(
    { name, routes, readers: { input, output } }: Pipeline,
    partition: number,
    truncated: boolean,
  ): Promise<PartitionHistory> {
    const { simulation } = this;
    const kept = <R>(what: string, read: (record: RawRecord) => R): LogSource<R> =>
      sourceOf(`${name}-${what}`, committedParts(simulation, `${name}-${what}`, partition, read));
    const changelog = () =>
      truncated ? this.#truncated(`${name}-changelog`, partition) : kept('changelog', plainRecord);
    const targets = [...new Set(routes.map(({ to }) => to))];
    return {
      partition,
      input: this.#committed(`${name}-in`, partition, (record) => input.read(record)),
      changelog: changelog(),
      settings: await settingsIn(changelog()),
      output: kept('out', (record) => output.read(record)),
      deadLetters: kept('dead', letterRecord),
      ...(targets.length > 0 && {
        routed: { group: groupOf(name), topics: new Map(targets.map((topic) => [topic, this.#allOf(topic)])) },
      }),
      outputDecidedBelow: Infinity,
      whyUndone: () => Promise.resolve(undefined),
      isComplete: true,
    };
  }

  #truncated(topic: string, partition: number): LogSource<LogRecord> {
    const whole = this.#committed(topic, partition, plainRecord);
    const logStart = lastFloor(this.simulation.log.committed(topic, partition));
    const read = async (): Promise<LogPart<LogRecord> | undefined> => {
      const part = await whole.read();
      return (
        part && {
          records: part.records.filter(({ offset }) => offset >= logStart),
          batches: part.batches.filter(({ lastOffset }) => lastOffset >= logStart),
        }
      );
    };
    return { ...whole, logStart, read };
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
    const { log } = this.simulation;
    const records = log.committed(topic, partition).map(scannedRecord).map(read);
    return sourceOf(topic, [{ records, batches: log.batches(topic, partition).map(scannedBatch) }]);
  }
}

/** Floor of the last commit. */
function lastFloor(changelog: readonly { readonly value: Uint8Array | null }[]): number {
  for (const { value } of changelog.toReversed()) {
    const block = readBlock(value!);
    if (block.kind === 'state') return block.header.floor;
  }
  return 0;
}

/** Each says one header more, and the first of several leads nowhere any more; functions are what they were. */
function laterRoutes(routes: readonly RouteRules[]): readonly RouteRules[] {
  return routes.flatMap((route, i) => {
    if (route.record !== undefined) return [route];
    return i === 0 && routes.length > 1 ? [] : [{ ...route, headers: { ...route.headers, later: 'yes' } }];
  });
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
  const { rules, readers } = await kindOf(config).judging();
  const { tombstones } = config.output;
  const { heldTime, changelogFactor } = config;
  const common = { timestampType: 'LogAppendTime', maxKeyBytes, tombstones, proof: 'record', changelogFactor } as const;
  const judged = rules(config, { ...common, ...heldTime, unheardMs: 0, ...(routes.length > 0 && { routes }) });
  const later = laterRoutes(routes);
  return {
    ...link,
    partitions,
    config,
    rules: judged,
    later: { routes: later, rules: { ...judged, ...(routes.length > 0 && { routes: later }) } },
    readers: readers(config, undefined, []),
  };
}
