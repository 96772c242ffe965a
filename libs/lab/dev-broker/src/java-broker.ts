import { type BrokerFacts, type BrokerMode } from './broker-state.ts';
import { type ControllerGates } from './controller-gates.ts';
import { JavaNode } from './java-node.ts';
import { type NodePlan } from './node-settings.ts';
import { LOOPBACK } from './ports.ts';
import { brokerReady, READY_WITHIN_MS } from './readiness.ts';
import { registryUrlOf } from './registry.ts';
import { type BrokerNode, type OwnedBroker } from './running-broker.ts';
import type { SecuredListener } from './secured/secured-properties.ts';
import { startFailure } from './start-failure.ts';
import { Supervision } from './supervision.ts';
import { type ProcessPlan } from './supervisor-plan.ts';

const STOP_WITHIN_MS = 15_000;

export interface JavaBrokerPlan {
  readonly dataDir: string;
  readonly temporary: boolean;
  readonly mode: BrokerMode;
  readonly nodes: readonly NodePlan[];
  readonly processes: readonly ProcessPlan[];
  readonly registryPort: number | undefined;
  readonly gates?: ControllerGates | undefined;
  readonly listeners?: readonly SecuredListener[];
}

/** A broker of one or three nodes, and a registry if wanted, run by Java under a supervisor. Starts when constructed. */
export class JavaBroker implements OwnedBroker {
  readonly source = 'java';
  readonly bootstrap: string;
  readonly registryUrl: string | undefined;
  readonly listeners: readonly SecuredListener[];
  readonly nodes: readonly BrokerNode[];
  readonly dataDir: string;
  readonly #supervision: Supervision;
  readonly #processes: readonly ProcessPlan[];
  readonly #gates: ControllerGates | undefined;
  #stopped: Promise<void> | undefined;

  constructor({ dataDir, temporary, mode, nodes, processes, registryPort, gates, listeners = [] }: JavaBrokerPlan) {
    this.#gates = gates;
    this.listeners = listeners;
    this.dataDir = dataDir;
    this.#processes = processes;
    const ports = nodes.map(({ port }) => port);
    this.bootstrap = ports.map((port) => `${LOOPBACK}:${port}`).join(',');
    this.registryUrl = registryPort === undefined ? undefined : registryUrlOf(registryPort);
    const { bootstrap, registryUrl, source } = this;
    const facts: BrokerFacts = { bootstrap, registryUrl, listeners, ports, source, mode };
    this.#supervision = new Supervision({ dataDir, temporary, facts, processes, stopWithinMs: STOP_WITHIN_MS });
    this.nodes = nodes.map((node) => new JavaNode(node, this.#supervision, gates));
  }

  /** Throws `Fatal` if a process ends or it takes too long; the signal's reason if that is aborted. */
  async ready(signal?: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    const mayHope = (): void => {
      signal?.throwIfAborted();
      const { lastExit, over } = this.#supervision;
      if (lastExit !== undefined || over) throw startFailure(this.#processes, lastExit);
      if (performance.now() > giveUpAt)
        throw startFailure(this.#processes, { name: 'the broker', how: `no answer within ${READY_WITHIN_MS} ms` });
    };
    const addresses = this.nodes.map(({ port }) => ({ host: LOOPBACK, port }));
    await brokerReady(addresses, this.registryUrl, mayHope);
    this.#supervision.letGo();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#supervision.end().finally(() => this.#gates?.close());
    return this.#stopped;
  }

  ended(): Promise<void> {
    return this.#supervision.until(() => this.#supervision.over);
  }
}
