// A broker of one or three nodes, and a registry if wanted, in containers.
//
// Owns: the containers, their network, state.json.
// Does not own: the volumes, in which a kept cluster lives.
//
// The containers end with this process even under kill -9: testcontainers' reaper removes those whose session is lost.
import { Fatal } from '@flatline/base';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ContainerRuntimeClient,
  type GenericContainer,
  type Network,
  type StartedNetwork,
  type StartedTestContainer,
} from 'testcontainers';
import { claimDataDir } from './abandoned.ts';
import { type BrokerMode, stateFileOf, writeState } from './broker-state.ts';
import { ContainerNode } from './container-node.ts';
import { aliasOf, inner, INNER_STORAGE, KAFKA_IMAGE, nodeEnvironment, REGISTRY_IMAGE } from './container-settings.ts';
import { inDataDir, nodeCountFor } from './data-directory.ts';
import { planPorts, type PortPlan } from './port-plan.ts';
import { LOOPBACK } from './ports.ts';
import { identify } from './process-identity.ts';
import { brokerReady, READY_WITHIN_MS } from './readiness.ts';
import { type BrokerOptions, HEAP_MB_DEFAULT, type OwnedBroker } from './running-broker.ts';
import { type Workspace } from './workspace.ts';

const PROBE_WITHIN_MS = 3000;
const STOP_WITHIN_MS = 15_000;
/** The first start pulls images of some hundred MB. */
const START_WITHIN_MS = 300_000;

export type ContainerEngine = ContainerRuntimeClient;

/** The engine answers, but a container did not start. */
export class ContainersFailed extends Fatal {}

interface ContainerStart {
  readonly options: BrokerOptions;
  readonly workspace: Workspace;
  readonly engine: ContainerEngine;
  readonly mode: BrokerMode;
}

/** The container engine of this machine; undefined if none answers in time. A client without an engine is none. */
export async function findContainerEngine(): Promise<ContainerEngine | undefined> {
  const { getContainerRuntimeClient } = await import('./engine-library.ts');
  const tooLate = new Promise<undefined>((resolve) => {
    setTimeout(() => {
      resolve(undefined);
    }, PROBE_WITHIN_MS).unref();
  });
  // Rejected means that no engine was found, the ordinary case on a machine without one.
  return Promise.race([getContainerRuntimeClient().catch(() => undefined), tooLate]);
}

/** Resolves when every node answers. Throws `Fatal`. */
export async function startInContainers({ options, workspace, engine, mode }: ContainerStart): Promise<OwnedBroker> {
  const testcontainers = await import('./engine-library.ts');
  return inDataDir(workspace, options, async (dataDir) => {
    await claimDataDir(dataDir);
    const ports = await planPorts(options, nodeCountFor(dataDir, options.nodes));
    const broker = new ContainerBroker({ options, dataDir, ports, engine, network: new testcontainers.Network() });
    try {
      await broker.start();
    } catch (error) {
      await broker.stop();
      throw new ContainersFailed(`Kafka did not start in a container (${KAFKA_IMAGE}): ${String(error)}`, error);
    }
    broker.saveState(mode);
    return broker;
  });
}

interface Cluster {
  readonly options: BrokerOptions;
  readonly dataDir: string;
  readonly ports: PortPlan;
  readonly engine: ContainerEngine;
  readonly network: Network;
}

class ContainerBroker implements OwnedBroker {
  readonly source = 'container';
  readonly bootstrap: string;
  readonly registryUrl: string | undefined;
  readonly listeners = [];
  readonly dataDir: string;
  readonly nodes: readonly ContainerNode[];
  readonly #cluster: Cluster;
  readonly #host: string;
  readonly #started: StartedTestContainer[] = [];
  readonly #ended = Promise.withResolvers<null>();
  #network: StartedNetwork | undefined;
  #stopped: Promise<void> | undefined;

  constructor(cluster: Cluster) {
    const { host } = cluster.engine.info.containerRuntime;
    // An engine of this machine is called localhost, which may mean ::1, where the port is not published.
    this.#host = host === 'localhost' ? LOOPBACK : host;
    this.#cluster = cluster;
    this.dataDir = cluster.dataDir;
    this.nodes = cluster.ports.nodes.map(
      ({ port }, index) => new ContainerNode(index + 1, this.#host, port, cluster.engine),
    );
    this.bootstrap = this.nodes.map(({ port }) => `${this.#host}:${port}`).join(',');
    this.registryUrl =
      cluster.options.registry === true ? `http://${this.#host}:${cluster.ports.registry}/apis/ccompat/v7` : undefined;
  }

  async start(): Promise<void> {
    const network = await this.#cluster.network.start();
    this.#network = network;
    // All settle before a failure counts: a container that came up late would otherwise outlive the cleanup.
    const starts = await Promise.allSettled([
      ...this.nodes.map((node) => this.#startNode(node, network)),
      this.#startRegistry(),
    ]);
    for (const each of starts) if (each.status === 'rejected') throw each.reason;
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    const addresses = this.nodes.map(({ port }) => ({ host: this.#host, port }));
    await brokerReady(addresses, this.registryUrl, () => {
      this.#cluster.options.signal?.throwIfAborted();
      if (performance.now() > giveUpAt) throw new Fatal(`no answer within ${READY_WITHIN_MS} ms`);
    });
  }

  saveState(mode: BrokerMode): void {
    const { bootstrap, registryUrl, source } = this;
    const ports = this.nodes.map(({ port }) => port);
    const supervisor = identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
    writeState(this.dataDir, { bootstrap, registryUrl, source, ports, mode, supervisor, processes: [] });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async ended(): Promise<void> {
    await this.#ended.promise;
  }

  async #startNode(node: ContainerNode, network: StartedNetwork): Promise<void> {
    const { options, dataDir } = this.#cluster;
    const cluster = {
      nodes: this.nodes,
      id: clusterIdOf(dataDir),
      host: this.#host,
      heapMb: options.heapMb ?? HEAP_MB_DEFAULT,
    };
    mkdirSync(join(dataDir, aliasOf(node.id)), { recursive: true });
    const container = (await loopbackContainer(KAFKA_IMAGE))
      .withEnvironment(nodeEnvironment(node, cluster, options.properties))
      .withNetwork(network)
      .withNetworkAliases(aliasOf(node.id))
      .withExposedPorts({ container: inner.client, host: node.port })
      .withStartupTimeout(START_WITHIN_MS);
    if (options.ephemeral !== true)
      container.withBindMounts([{ source: volumeOf(dataDir, node.id), target: INNER_STORAGE, mode: 'rw' }]);
    const started = await container.start();
    this.#started.push(started);
    node.containerId = started.getId();
  }

  async #startRegistry(): Promise<void> {
    if (this.registryUrl === undefined) return;
    const { Wait } = await import('./engine-library.ts');
    const container = (await loopbackContainer(REGISTRY_IMAGE))
      .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', inner.registry))
      .withExposedPorts({ container: inner.registry, host: this.#cluster.ports.registry })
      .withStartupTimeout(START_WITHIN_MS);
    this.#started.push(await container.start());
  }

  async #stopAll(): Promise<void> {
    // The reaper removes the rest when this process ends.
    await Promise.allSettled(this.#started.map((each) => each.stop({ timeout: STOP_WITHIN_MS })));
    await Promise.allSettled([this.#network?.stop()]);
    const left = this.#cluster.options.ephemeral === true ? this.dataDir : stateFileOf(this.dataDir);
    rmSync(left, { recursive: true, force: true });
    this.#ended.resolve(null);
  }
}

/** Publishes ports on 127.0.0.1 only; testcontainers publishes them on every address of the machine. */
async function loopbackContainer(image: string): Promise<GenericContainer> {
  const testcontainers = await import('./engine-library.ts');
  class LoopbackContainer extends testcontainers.GenericContainer {
    protected override beforeContainerCreated(): Promise<void> {
      const bindings = (this.hostConfig.PortBindings ?? {}) as Record<string, { HostIp?: string }[]>;
      for (const binding of Object.values(bindings).flat()) binding.HostIp = LOOPBACK;
      return Promise.resolve();
    }
  }
  return new LoopbackContainer(image);
}

/** One cluster id per data directory, so that a volume fits the cluster it is started in. */
function clusterIdOf(dataDir: string): string {
  const id = createHash('sha256').update(dataDir).digest().subarray(0, 16).toString('base64url');
  return id.startsWith('-') ? `A${id.slice(1)}` : id;
}

function volumeOf(dataDir: string, node: number): string {
  return `flatline-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-${aliasOf(node)}`;
}
