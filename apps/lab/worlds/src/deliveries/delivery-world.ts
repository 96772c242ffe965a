// One seed of deliveries: sessions whose summaries go to webhooks, in processes that keep, attempt and repeat them, while endpoints fail
// in many ways, processes are killed, frozen and started, and requests to the brokers are lost. Then calm, in which all must arrive.
import { partitionOf, type Random } from '@flatline/base';
import { calm, rough, SimulatedDisk, type SimulatedHost, Simulation, type HostPorts } from '@flatline/cluster';
import type { NotifiedPipeline } from '@flatline/config';
import { Gate } from '@flatline/deliveries';
import { kindOf, type PipelineConfig } from '@flatline/kind-modules';
import { CarriedPipeline, HttpSender, type Way } from '@flatline/notifier/carrying';
import type { GroupOffset, TransactionalWriter, TransactionalWriters } from '@flatline/ports';
import { pipelineSettings, readKept } from '@flatline/processor/deliveries';
import { PipelineInstance, ProcessShare } from '@flatline/runtime';
import { Freezer } from './freezer.ts';
import { DeliveryLedger, type RecordedAttempt } from './ledger.ts';
import { Openings } from './openings.ts';
import { drawDeliveries, type DeliveryScenario } from './scenario.ts';
import { SimulatedScan } from './simulated-scan.ts';
import { SimulatedWeb } from './simulated-web.ts';
import { Sites } from './sites.ts';

const MACHINES = ['a', 'b', 'c'] as const;
const KEYS = Array.from({ length: 10 }, (_, i) => `k${i}`);
const STORM_MS = 60_000;
const STEP_MAX_MS = 150;
const CALM_STEP_MS = 10_000;
/** Deliveries held when all was calm come after ten minutes; those that had failed twice wait six. */
const CALM_MAX_MS = 1_500_000;
const utf8 = new TextEncoder();

interface Running {
  readonly host: SimulatedHost;
}

export class DeliveryWorld {
  readonly simulation: Simulation;
  readonly scenario: DeliveryScenario;
  readonly ledger = new DeliveryLedger();
  readonly notified: NotifiedPipeline;
  /** Errors that ended a process: there are to be none. */
  readonly failures: string[] = [];
  readonly lines: string[] = [];
  readonly sites: Sites;
  readonly #random: Random;
  readonly #freezer: Freezer;
  readonly #running = new Map<string, Running>();
  #launches = 0;
  readonly #openings = new Openings();

  constructor(seed: number) {
    this.scenario = drawDeliveries(seed);
    this.simulation = new Simulation({ seed, rates: rough });
    this.#random = this.simulation.random('deliveries act');
    this.#freezer = new Freezer(this.simulation);
    const { partitions, config } = this.scenario;
    this.notified = config.notifier!.pipelines[0]!;
    this.sites = new Sites(
      this.notified.endpoints.map(({ name }) => name),
      this.simulation.random('sites'),
    );
    const { log } = this.simulation;
    log.offsets.onCommitted = this.#committed;
    for (const { input, output, changelogTopic, deadLetterTopic, group } of config.pipelines) {
      for (const topic of [input.topic, output.topic, changelogTopic, deadLetterTopic])
        log.createTopic(topic, { partitions });
      this.simulation.group(group, { partitions, standbys: 0, sessionTimeoutMs: 3_000 });
    }
    log.createTopic(this.notified.undeliverableTopic, { partitions });
    this.simulation.group(this.notified.group, { partitions, standbys: 0, sessionTimeoutMs: 3_000 });
  }

  /** Lives through the storm, and the calm behind it until nothing waits or too long has passed. */
  async live(isOver: () => boolean): Promise<void> {
    const { time, faults } = this.simulation;
    for (const name of MACHINES.slice(0, 2)) await this.#launch(name);
    await time.runFor(3_000);
    const until = time.nowMs + STORM_MS;
    while (time.nowMs < until) {
      this.#produce();
      for (const mood of this.sites.act()) faults.count(`site/${mood}`);
      await this.#disturb();
      this.#freezer.act(this.#up.map(({ host }) => host));
      await time.runFor(1 + this.#random.below(STEP_MAX_MS));
    }
    faults.setRates(calm);
    this.sites.heal();
    this.#freezer.heal(this.#up.map(({ host }) => host));
    for (const { host } of this.#up) host.resume();
    for (const name of MACHINES) await this.#launch(name);
    const calmUntil = time.nowMs + CALM_MAX_MS;
    for (let isDone = false; !isDone && time.nowMs < calmUntil;) {
      await time.runFor(CALM_STEP_MS);
      if (!isOver()) continue;
      // A delivery that would come twice has its chance, and so have the last sessions, which may close only now.
      await time.runFor(CALM_STEP_MS);
      isDone = isOver();
    }
  }

  get #up(): readonly Running[] {
    return [...this.#running.values()].filter(({ host }) => host.alive);
  }

  #produce(): void {
    if (!this.#random.chance(0.6)) return;
    const key = KEYS[this.#random.below(KEYS.length)]!;
    const value = this.#random.chance(0.3) ? null : this.#random.chance(0.5) ? '{"type":"VIEW"}' : '';
    const { topic } = this.notified.pipeline.input;
    this.simulation.log.produce(topic, partitionOf(utf8.encode(key), this.scenario.partitions), { key, value });
  }

  async #disturb(): Promise<void> {
    const act = this.#random.below(100);
    const up = this.#up;
    const victim = up[this.#random.below(Math.max(1, up.length))];
    const { time, faults } = this.simulation;
    if (act === 0 && victim !== undefined) {
      victim.host.kill();
      faults.count('killed');
    } else if (act === 1 && victim !== undefined) {
      victim.host.pause();
      faults.count('frozen');
      time.after(this.#random.below(8_000), () => {
        victim.host.resume();
      });
    } else if (act < 12) await this.#launch(MACHINES[this.#random.below(MACHINES.length)]!);
  }

  async #launch(name: string): Promise<void> {
    if (this.#running.get(name)?.host.alive === true) return;
    const { host, ports } = this.simulation.start(name);
    this.#running.set(name, { host });
    const share = new ProcessShare();
    for (const pipeline of this.scenario.config.pipelines) {
      const instance = await this.#instance(pipeline, { name, host, ports, share });
      void instance.start();
    }
    this.#launches += 1;
    this.#carry(`${name}${this.#launches}`, host, ports);
  }

  async #instance(
    pipeline: PipelineConfig,
    { name, host, ports, share }: { name: string; host: SimulatedHost; ports: HostPorts; share: ProcessShare },
  ): Promise<PipelineInstance> {
    const { config, partitions } = this.scenario;
    const random = this.simulation.random(`${pipeline.name} of ${name} at ${this.simulation.time.nowMicros}`);
    const facts = {
      inputPartitions: partitions,
      letterBytesMax: undefined,
      electsCleanly: true,
      partitionsOf: () => partitions,
    };
    const note = (): void => undefined;
    return new PipelineInstance({
      share,
      settings: { ...pipelineSettings(config, pipeline, facts), owner: name },
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
        this.failures.push(`${name}, ${pipeline.name}: ${error.message}`);
      },
    });
  }

  #carry(name: string, host: SimulatedHost, ports: HostPorts): void {
    const { notified, ledger, sites, simulation } = this;
    const now = (): number => simulation.trueMs();
    const web = new SimulatedWeb({ host, sites, ledger, now });
    const scan = new SimulatedScan(ports.reader, ports.admin, simulation.log);
    const random = simulation.random(`couriers of ${name} at ${simulation.time.nowMicros}`);
    const note = (message: string, facts?: Readonly<Record<string, unknown>>): void => {
      const { error, ...others } = facts ?? {};
      const shown = error instanceof Error ? error.stack : '';
      this.lines.push(`${simulation.time.nowMs} ${name} ${message} ${JSON.stringify(others)} ${shown}`);
      if (message.includes('after a defect')) this.failures.push(`${name}: ${message}: ${shown}`);
    };
    new CarriedPipeline({
      clock: host,
      random,
      log: { info: note, warn: note, error: note },
      notified,
      ways: notified.endpoints.map((endpoint) => this.#way(endpoint, name, web, host)),
      membership: ports.membership(notified.group),
      reader: ports.reader,
      writers: this.#watched(ports.writers, name, host),
      admin: ports.admin,
      scan,
      startFrom: 'earliest',
      readState: (partition, stop) =>
        readKept(notified.deliveries, { partition, scan, hashSeed: random.below(2 ** 32), stop }),
      onFailure: (error) => {
        this.failures.push(`${name}: ${error.message}`);
      },
    });
  }

  #way(endpoint: NotifiedPipeline['endpoints'][number], name: string, web: SimulatedWeb, host: SimulatedHost): Way {
    const { maxInFlight, maxPerSecond, target, allow, timeoutMs, secrets } = endpoint;
    const { url } = target as { readonly url: string };
    const underWay = new Map<string, RecordedAttempt>();
    const sender = new HttpSender({
      clock: host,
      url,
      allow,
      timeoutMs,
      maxInFlight,
      secrets,
      resolve: web.resolve,
      userAgent: 'world',
      dial: web.dial,
      agent: (connect) => web.agent(connect, (id) => underWay.get(id)!),
    });
    const attempted: Way['sender'] = {
      attempt: async (delivery, end) => {
        const begun = this.#begin(endpoint.name, delivery.id, name);
        this.#freezer.attempting(host);
        underWay.set(delivery.id, begun);
        try {
          const outcome = await sender.attempt(delivery, end);
          begun.isDelivered = outcome.kind === 'delivered';
          return outcome;
        } finally {
          begun.endedAt = this.simulation.trueMs();
        }
      },
      close: () => sender.close(),
    };
    return { endpoint, gate: new Gate({ maxInFlight, maxPerSecond }), sender: attempted };
  }

  #begin(endpoint: string, id: string, process: string): RecordedAttempt {
    // Sessions are named by their partition first.
    const partition = Number(/:(\d+)-/.exec(id)?.[1]);
    const at = this.simulation.trueMs();
    const ownership = this.#openings.ownership(partition, process, at);
    const begun: RecordedAttempt = { endpoint, id, at, ...ownership, endedAt: undefined };
    this.ledger.begun.push(begun);
    return begun;
  }

  #watched(writers: HostPorts['writers'], process: string, host: SimulatedHost): TransactionalWriters {
    return {
      timeoutMs: writers.timeoutMs,
      open: async (id, askedMs) => {
        const asker = { process, isAlive: () => host.alive };
        const open = () => writers.open(id, askedMs);
        const writer = await this.#openings.opened(id, asker, { open, now: () => this.simulation.trueMs() });
        // The broker may say that it is committed before its marker has come to the positions.
        const told: TransactionalWriter = {
          timeoutMs: writer.timeoutMs,
          commit: async (transaction, answerMs) => {
            const committed = await writer.commit(transaction, answerMs);
            transaction.offsets.forEach(this.#committed);
            return committed;
          },
          close: () => writer.close(),
        };
        return this.#freezer.watched(told, host);
      },
    };
  }

  readonly #committed = ({ group, topic, partition, offset }: GroupOffset): void => {
    if (group !== this.notified.group || topic !== this.notified.pipeline.output.topic) return;
    this.ledger.positions.push({ partition, offset, at: this.simulation.trueMs() });
  };
}
