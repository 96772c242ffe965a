import { assert, Fatal } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { type ContainerRuntimeClient } from 'testcontainers';
import { askBrokers } from './metadata-probe.ts';
import { READY_WITHIN_MS } from './readiness.ts';
import { type BrokerNode } from './running-broker.ts';

const STOP_WITHIN_S = 15;
const POLL_MS = 50;

type EngineContainer = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** One node of a broker in containers, for tests that break nodes. */
export class ContainerNode implements BrokerNode {
  readonly id: number;
  readonly port: number;
  readonly pid = undefined;
  /** Set once the container is made. */
  containerId: string | undefined;
  readonly #host: string;
  readonly #engine: ContainerRuntimeClient;

  constructor(id: number, host: string, port: number, engine: ContainerRuntimeClient) {
    this.id = id;
    this.port = port;
    this.#host = host;
    this.#engine = engine;
  }

  async stop(): Promise<void> {
    await this.#container().stop({ t: STOP_WITHIN_S });
  }

  async kill9(): Promise<void> {
    await this.#container().kill({ signal: 'SIGKILL' });
    await this.#container().wait();
  }

  async start(): Promise<void> {
    await this.#container().start();
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    while (!(await this.#counted())) {
      if (performance.now() > giveUpAt)
        throw new Fatal(
          `node ${this.id} is not part of the cluster after ${READY_WITHIN_MS} ms: do enough nodes run for a quorum?`,
        );
      await delay(POLL_MS);
    }
  }

  async pause(): Promise<void> {
    await this.#container().pause();
  }

  isolate(): void {
    throw new Fatal(`node ${this.id} runs in a container and cannot be isolated: start the broker with Java`);
  }

  rejoin(): void {
    this.isolate();
  }

  async resume(): Promise<void> {
    await this.#container().unpause();
  }

  async #counted(): Promise<boolean> {
    const listed = await askBrokers({ host: this.#host, port: this.port });
    return listed?.some(({ id }) => id === this.id) === true;
  }

  #container(): EngineContainer {
    assert(this.containerId !== undefined, 'a node is used after its container was made', { node: this.id });
    return this.#engine.container.getById(this.containerId);
  }
}
