import { setTimeout as delay } from 'node:timers/promises';
import { Fatal } from '@flatline/base';
import { type ControllerGates } from './controller-gates.ts';
import { askBrokers } from './metadata-probe.ts';
import { type NodePlan } from './node-settings.ts';
import { LOOPBACK } from './ports.ts';
import { READY_WITHIN_MS } from './readiness.ts';
import { type BrokerNode } from './running-broker.ts';
import { type Supervision } from './supervision.ts';

const STOP_WITHIN_MS = 15_000;
const POLL_MS = 50;

/** One node of a broker run by Java, for tests that break nodes. */
export class JavaNode implements BrokerNode {
  readonly id: number;
  readonly port: number;
  readonly #name: string;
  readonly #supervision: Supervision;
  readonly #gates: ControllerGates | undefined;

  constructor(plan: NodePlan, supervision: Supervision, gates?: ControllerGates) {
    this.id = plan.id;
    this.port = plan.port;
    this.#name = `node-${plan.id}`;
    this.#supervision = supervision;
    this.#gates = gates;
  }

  isolate(): void {
    this.#gatesOrThrow().isolate(this.id);
  }

  rejoin(): void {
    this.#gatesOrThrow().rejoin(this.id);
  }

  get pid(): number | undefined {
    return this.#supervision.pidOf(this.#name);
  }

  async stop(): Promise<void> {
    const bound = setTimeout(() => {
      this.#signal('SIGKILL');
    }, STOP_WITHIN_MS);
    this.#signal('SIGTERM');
    await this.#ended();
    clearTimeout(bound);
  }

  async kill9(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#ended();
  }

  async start(): Promise<void> {
    this.#supervision.send({ kind: 'start', name: this.#name });
    await this.#supervision.until(() => this.pid !== undefined);
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    while (!(await this.#counted())) {
      if (this.pid === undefined) throw new Fatal(`${this.#name} ended while starting: see its folder's broker.log`);
      if (performance.now() > giveUpAt)
        throw new Fatal(
          `${this.#name} is not part of the cluster after ${READY_WITHIN_MS} ms: do enough nodes run for a quorum?`,
        );
      await delay(POLL_MS);
    }
  }

  pause(): Promise<void> {
    this.#signal('SIGSTOP');
    return Promise.resolve();
  }

  resume(): Promise<void> {
    this.#signal('SIGCONT');
    return Promise.resolve();
  }

  #gatesOrThrow(): ControllerGates {
    if (this.#gates === undefined) throw new Fatal(`${this.#name} cannot be isolated: start the broker isolatable`);
    return this.#gates;
  }

  async #counted(): Promise<boolean> {
    const listed = await askBrokers({ host: LOOPBACK, port: this.port });
    return listed?.some(({ id }) => id === this.id) === true;
  }

  #signal(signal: NodeJS.Signals): void {
    this.#supervision.send({ kind: 'signal', name: this.#name, signal });
  }

  #ended(): Promise<void> {
    return this.#supervision.until(() => this.pid === undefined);
  }
}
