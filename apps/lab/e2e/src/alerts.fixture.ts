// Processors that Prometheus looks at: each with a pipeline of its own name, so that alerts tell which of them they are about.
import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { Running } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import type { Prometheus } from './prometheus.fixture.ts';
import { Scenario, type ScenarioSettings, sleep } from './scenario.fixture.ts';

const BEAT_MS = 500;

export class Watched {
  readonly name: string;
  readonly scenario: Scenario;
  readonly prometheus: Prometheus;
  readonly #running = new Map<Running, string>();

  private constructor(name: string, scenario: Scenario, prometheus: Prometheus) {
    this.name = name;
    this.scenario = scenario;
    this.prometheus = prometheus;
  }

  /** The pipeline's name begins so, and is another one each time: topics of deliveries bear it alone. */
  static async create(word: string, prometheus: Prometheus, settings: ScenarioSettings = {}): Promise<Watched> {
    const { pipeline } = settings;
    const name = `${word}-${randomBytes(3).toString('hex')}`;
    const timeoutMs = pipeline?.kind === 'schedule' ? {} : { timeoutMs: 2_000 };
    const named = { partitions: 1, ...timeoutMs, ...settings, pipeline: { ...pipeline, name } };
    return new Watched(name, await Scenario.create(named), prometheus);
  }

  /** Resolves once it is ready; it is scraped from then on. `instance` is the label, and whose state directory it has. */
  async start(env: Readonly<Record<string, string>> = {}, instance = this.name): Promise<Running> {
    const running = this.scenario.start(instance, env);
    await this.watch(running, instance);
    return running;
  }

  async watch(running: Running, instance = this.name): Promise<string> {
    this.#running.set(running, instance);
    const address = await addressOf(running);
    await ready(address);
    this.prometheus.scrape(instance, address);
    return address;
  }

  /** One that does not get ready. */
  async watchUnready(running: Running): Promise<void> {
    this.#running.set(running, this.name);
    this.prometheus.scrape(this.name, await addressOf(running));
  }

  /** Writes what is no block of a changelog to it. */
  async foul(topic: string, partition: number): Promise<void> {
    const connection = openCluster(this.scenario.kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    await producer.send([{ ...recordOf('who', 'is this?'), partition }]);
    await producer.close();
    connection.close();
  }

  async send(key: string, value: string, partition?: number): Promise<void> {
    const where = partition === undefined ? {} : { partition };
    await this.scenario.producing((producer) => producer.send([{ ...recordOf(key, value), ...where }]));
  }

  /** Twenty keys that beat on, and one after another that falls silent, until it is told to stop. */
  beating(until: AbortSignal): Promise<void> {
    return this.scenario.producing(async (producer) => {
      for (let i = 0; !until.aborted; i += 1) {
        const keys = [...Array.from({ length: 20 }, (_, n) => `lives-${n}`), `silent-${i}`];
        await producer.send(keys.map((key) => recordOf(key, '')));
        await sleep(BEAT_MS);
      }
    });
  }

  /** Waits for each of these alerts; of all that ever fired none is but these and what may come of the fault, too. */
  async alerted(alerts: readonly string[], consequences: readonly string[] = []): Promise<void> {
    for (const alert of alerts) await this.prometheus.fires(alert, this.name);
    const fired = await this.prometheus.fired(this.name);
    expect(fired.filter((each) => !consequences.includes(each))).toEqual(alerts.toSorted());
  }

  /** Resolves once none of these fires any more. */
  async mended(...alerts: readonly string[]): Promise<void> {
    for (const alert of alerts) await this.prometheus.ends(alert, this.name);
  }

  async dispose(): Promise<void> {
    for (const instance of this.#running.values()) this.prometheus.leave(instance);
    await this.scenario.dispose(...this.#running.keys());
  }
}
