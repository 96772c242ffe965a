// A pipeline whose outputs go to webhooks: its scenario, and an endpoint for each of them.
import type { ConfigurationInput } from '@flatline/config';
import { randomBytes } from 'node:crypto';
import type { Running } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { WebhookSink } from './webhook-sink.fixture.ts';

type Endpoint = NonNullable<ConfigurationInput['notifier']>['endpoints'][number];

/** Topics of deliveries bear the pipeline's name alone: each scenario has one of its own. */
export class Notifying {
  readonly name: string;
  readonly sinks: readonly WebhookSink[];
  readonly scenario: Scenario;

  private constructor(name: string, sinks: readonly WebhookSink[], scenario: Scenario) {
    this.name = name;
    this.sinks = sinks;
    this.scenario = scenario;
  }

  /** One sink for each endpoint. */
  static async create(endpoints: readonly Partial<Endpoint>[], pipeline: object = {}): Promise<Notifying> {
    const name = `hooks-${randomBytes(4).toString('hex')}`;
    const sinks = await Promise.all(endpoints.map(() => WebhookSink.open()));
    const scenario = await Scenario.create({
      partitions: 2,
      pipeline: { name, ...pipeline },
      notifier: {
        endpoints: endpoints.map((endpoint, i) => ({
          name: `sink${i}`,
          url: sinks[i]!.url,
          secrets: [{ env: `SECRET${i}` }],
          allow: ['127.0.0.1'],
          ...endpoint,
        })),
      },
    });
    return new Notifying(name, sinks, scenario);
  }

  /** The first endpoint's. */
  get sink(): WebhookSink {
    return this.sinks[0]!;
  }

  /** The secrets of its endpoints, by the variables that the configuration names. */
  get environment(): Record<string, string> {
    return Object.fromEntries(this.sinks.map(({ secret }, i) => [`SECRET${i}`, secret]));
  }

  start(instance = 'a'): Running {
    return this.scenario.start(instance, this.environment);
  }

  beat(...keys: readonly string[]): Promise<unknown> {
    return this.scenario.producing((producer) => producer.send(keys.map((key) => recordOf(key, ''))));
  }

  async dispose(): Promise<void> {
    for (const sink of this.sinks) sink.close();
    await this.scenario.dispose();
  }
}
