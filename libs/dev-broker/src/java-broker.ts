// A broker of one or three nodes, and a registry if wanted, run by Java under a supervisor.
import { Fatal } from '@flatline/base';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resolveArtifacts } from './artifacts.ts';
import { readState } from './broker-state.ts';
import { bootstrapRecordsOf, nodeCountFor, writeNodes } from './data-directory.ts';
import { exclusive } from './exclusive.ts';
import { JavaNode } from './java-node.ts';
import { planJava } from './java-process.ts';
import { type JavaRuntime } from './java-runtime.ts';
import { brokersReady, wakeCoordinators } from './metadata-probe.ts';
import { type NodePlan } from './node-settings.ts';
import { clearAbandoned } from './orphans.ts';
import { assertPortFree, freePorts, loopback } from './ports.ts';
import { planRegistry, registryAnswers, registryUrlOf } from './registry.ts';
import { type BrokerNode, type BrokerOptions, type RunningBroker } from './running-broker.ts';
import { portClash, startFailure } from './start-failure.ts';
import { Supervision } from './supervision.ts';
import { type ProcessPlan } from './supervisor-plan.ts';
import { type Workspace } from './workspace.ts';

const readyWithinMs = 90_000;
const stopWithinMs = 15_000;
const attemptsMax = 3;
const pollMs = 50;
const heapMbDefault = 768;

export interface JavaStart {
  readonly options: BrokerOptions;
  readonly workspace: Workspace;
  readonly java: JavaRuntime;
  readonly mode: 'owned' | 'detached';
}

/** Everything that is decided before a port is. */
interface Prepared extends JavaStart {
  readonly dataDir: string;
  readonly nodeCount: 1 | 3;
  readonly classPath: string;
  readonly artifacts: string;
  readonly registryArtifacts: string | undefined;
  readonly bootstrapRecords: string;
}

interface Ports {
  readonly nodes: readonly { readonly port: number; readonly controllerPort: number }[];
  readonly registry: number | undefined;
}

/** Default data directory of a workspace. */
export function defaultDataDir(workspace: Workspace): string {
  return join(workspace.state, 'broker');
}

/** Resolves when every node answers. Throws `Fatal`, with what the processes printed last, when one ends instead. */
export async function startOnJava(request: JavaStart): Promise<JavaBroker> {
  const prepared = await prepare(request);
  const lock = { waitMs: readyWithinMs };
  return exclusive(join(prepared.dataDir, 'starting.lock'), lock, () => startPrepared(prepared));
}

async function prepare(request: JavaStart): Promise<Prepared> {
  const { options, workspace, java } = request;
  const log = options.log ?? (() => undefined);
  const artifacts = await resolveArtifacts(workspace, 'broker', log);
  const registryArtifacts = options.registry === true ? await resolveArtifacts(workspace, 'registry', log) : undefined;
  // Sorted, because a class archive is only used with the class path it was made with.
  const jars = readdirSync(artifacts).filter((name) => name.endsWith('.jar'));
  const classPath = jars
    .sort()
    .map((name) => join(artifacts, name))
    .join(delimiter);
  const bootstrapRecords = await bootstrapRecordsOf(artifacts, java.command, classPath);
  const dataDir =
    options.ephemeral === true
      ? mkdtempSync(join(tmpdir(), 'flatline-broker-'))
      : resolve(options.dataDir ?? defaultDataDir(workspace));
  mkdirSync(dataDir, { recursive: true });
  const nodeCount = nodeCountFor(dataDir, options.nodes);
  return { ...request, dataDir, nodeCount, classPath, artifacts, registryArtifacts, bootstrapRecords };
}

async function startPrepared(prepared: Prepared): Promise<JavaBroker> {
  await clearAbandoned(prepared.dataDir);
  const running = readState(prepared.dataDir);
  if (running !== undefined)
    throw new Fatal(
      `a broker already runs in ${prepared.dataDir} at ${running.bootstrap} (process ${running.supervisor.pid}): ` +
        'stop it, or choose another data directory',
    );
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(prepared);
    const broker = launch(prepared, ports);
    try {
      await broker.ready();
      return broker;
    } catch (error) {
      await broker.stop();
      // Between choosing a free port and Kafka listening on it somebody else may take it.
      if (attempt === attemptsMax || !portClash(error) || prepared.options.port !== undefined) throw error;
    }
  }
}

async function choosePorts({ options, nodeCount, registryArtifacts }: Prepared): Promise<Ports> {
  const first = options.port;
  if (first !== undefined)
    for (let offset = 0; offset < nodeCount; offset += 1)
      await assertPortFree(
        first + offset,
        `stop what listens there, choose another port, or set KAFKA_BROKERS to use it`,
      );
  if (options.registryPort !== undefined)
    await assertPortFree(options.registryPort, 'stop what listens there, or choose another registry port');
  const free = await freePorts(2 * nodeCount + 1);
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    port: first === undefined ? free[index]! : first + index,
    controllerPort: free[nodeCount + index]!,
  }));
  return {
    nodes,
    registry: registryArtifacts === undefined ? undefined : (options.registryPort ?? free[2 * nodeCount]!),
  };
}

function launch(prepared: Prepared, ports: Ports): JavaBroker {
  const { dataDir, options } = prepared;
  const nodes = ports.nodes.map((each, index): NodePlan => ({
    id: index + 1,
    ...each,
    folder: join(dataDir, `node-${index + 1}`),
  }));
  writeNodes(nodes, prepared.bootstrapRecords, options.properties);
  const processes = nodes.map((node) => planNode(prepared, node));
  if (prepared.registryArtifacts !== undefined && ports.registry !== undefined) {
    const durable = options.ephemeral !== true;
    const place = { artifacts: prepared.registryArtifacts, dataDir, port: ports.registry, durable };
    processes.push(planRegistry(prepared.java, place));
  }
  return new JavaBroker(prepared, nodes, processes, ports.registry);
}

function planNode({ java, classPath, artifacts, options }: Prepared, node: NodePlan): ProcessPlan {
  return planJava(java, {
    name: `node-${node.id}`,
    folder: node.folder,
    heapMb: options.heapMb ?? heapMbDefault,
    archive: { folder: artifacts, of: 'broker' },
    args: [
      `-Dflatline.log=${join(node.folder, 'broker.log')}`,
      `-Dlog4j2.configurationFile=${join(node.folder, 'log4j2.properties')}`,
      '-cp',
      classPath,
      'kafka.Kafka',
      join(node.folder, 'server.properties'),
    ],
  });
}

export class JavaBroker implements RunningBroker {
  readonly source = 'java';
  readonly bootstrap: string;
  readonly registryUrl: string | undefined;
  readonly nodes: readonly BrokerNode[];
  readonly dataDir: string;
  readonly #supervision: Supervision;
  readonly #processes: readonly ProcessPlan[];
  #stopped: Promise<void> | undefined;

  constructor(
    prepared: Prepared,
    nodes: readonly NodePlan[],
    processes: readonly ProcessPlan[],
    registryPort: number | undefined,
  ) {
    this.dataDir = prepared.dataDir;
    this.bootstrap = nodes.map(({ port }) => `${loopback}:${port}`).join(',');
    this.registryUrl = registryPort === undefined ? undefined : registryUrlOf(registryPort);
    this.#processes = processes;
    const { bootstrap, registryUrl } = this;
    this.#supervision = new Supervision({
      dataDir: this.dataDir,
      temporary: prepared.options.ephemeral === true,
      facts: { bootstrap, registryUrl, ports: nodes.map(({ port }) => port), mode: prepared.mode },
      processes,
      stopWithinMs,
    });
    this.nodes = nodes.map((node) => new JavaNode(node, this.#supervision));
  }

  /** Throws `Fatal` if a process ends, or if it takes too long. */
  async ready(): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs;
    const mayHope = (): void => {
      const { lastExit, over } = this.#supervision;
      if (lastExit !== undefined || over) throw startFailure(this.#processes, lastExit);
      if (performance.now() > giveUpAt)
        throw startFailure(this.#processes, { name: 'the broker', how: `no answer within ${readyWithinMs} ms` });
    };
    const addresses = this.nodes.map(({ port }) => ({ host: loopback, port }));
    await brokersReady(addresses, addresses.length, mayHope);
    await wakeCoordinators(addresses[0]!);
    while (this.registryUrl !== undefined && !(await registryAnswers(this.registryUrl))) {
      mayHope();
      await delay(pollMs);
    }
    this.#supervision.letGo();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#supervision.end();
    return this.#stopped;
  }

  /** It runs on when this process ends. */
  detach(): void {
    this.#supervision.detach();
  }
}
