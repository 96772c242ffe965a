// Starts a broker, or a registry alone, with Java: artifacts, data directory, ports, processes, in that order.
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ControllerGates } from './controller-gates.ts';
import { claimDataDir } from './abandoned.ts';
import { type ArtifactRequest, infraProject, resolveArtifacts } from './artifacts.ts';
import { type BrokerMode } from './broker-state.ts';
import { bootstrapRecordsOf, inDataDir, nodeCountFor, securedAsMade, writeNodes } from './data-directory.ts';
import { exclusive } from './exclusive.ts';
import { JavaBroker } from './java-broker.ts';
import { planJava } from './java-process.ts';
import { type JavaRuntime } from './java-runtime.ts';
import { type NodePlan, type ServerProperties } from './node-settings.ts';
import { planPorts, type PortPlan } from './port-plan.ts';
import { READY_WITHIN_MS } from './readiness.ts';
import { planRegistry, type RegistryPlace } from './registry.ts';
import { type BrokerOptions, HEAP_MB_DEFAULT, type OwnedBroker, silent } from './running-broker.ts';
import { PortInUse } from './ports.ts';
import { makeSecuredFiles, type SecuredFiles, securedUsers } from './secured/secured-files.ts';
import {
  scramArguments,
  securedListeners,
  securedProperties,
  type SecuredListener,
  tokenArguments,
} from './secured/secured-properties.ts';
import { planTokenEndpoint } from './secured/token-process.ts';
import { type ProcessPlan } from './supervisor-plan.ts';
import { type Workspace } from './workspace.ts';

const ATTEMPTS_MAX = 3;

export interface JavaStart {
  readonly options: BrokerOptions;
  readonly workspace: Workspace;
  readonly java: JavaRuntime;
  readonly mode: BrokerMode;
}

/** The software to run, before the place is decided. */
interface Software extends JavaStart {
  readonly classPath: string;
  readonly artifacts: string;
  readonly registryArtifacts: string | undefined;
  readonly bootstrapRecords: string;
}

interface Prepared extends Software {
  readonly dataDir: string;
}

/** Resolves when every node answers. Throws `Fatal`, with the last output of the processes, if one ends instead. */
export async function startOnJava(request: JavaStart): Promise<OwnedBroker> {
  const { workspace } = request;
  const software = await prepare(request);
  return inDataDir(workspace, request.options, (dataDir) =>
    exclusive(join(dataDir, 'starting.lock'), { waitMs: READY_WITHIN_MS }, async () => {
      await claimDataDir(dataDir);
      const options = { ...request.options, secure: securedAsMade(dataDir, request.options.secure) };
      const prepared = { ...software, options, dataDir };
      return readyBroker(options, nodeCountFor(dataDir, options.nodes), (ports) => launch(prepared, ports));
    }),
  );
}

/** A registry alone, for a broker that was not started here; it keeps its schemas in memory. */
export async function startRegistryOnJava(request: JavaStart): Promise<OwnedBroker> {
  const { workspace, java, mode } = request;
  const artifacts = await resolveArtifacts(infraProject('registry', workspace), artifactsFor(request));
  const options = { ...request.options, port: undefined, ephemeral: true };
  return inDataDir(workspace, options, (dataDir) =>
    readyBroker(options, 0, ({ registry: port }) => {
      const processes = [planRegistry(java, { artifacts, dataDir, port, durable: false })];
      return new JavaBroker({ dataDir, temporary: true, mode, nodes: [], processes, registryPort: port });
    }),
  );
}

async function prepare(request: JavaStart): Promise<Software> {
  const { options, java, workspace } = request;
  const artifacts = await resolveArtifacts(infraProject('broker', workspace), artifactsFor(request));
  const registryArtifacts =
    options.registry === true
      ? await resolveArtifacts(infraProject('registry', workspace), artifactsFor(request))
      : undefined;
  // Sorted, because a class archive is only used with the class path that it was made with.
  const jars = readdirSync(artifacts).filter((name) => name.endsWith('.jar'));
  const classPath = jars
    .sort()
    .map((name) => join(artifacts, name))
    .join(delimiter);
  const bootstrapRecords = await bootstrapRecordsOf({ folder: artifacts, java: java.command, classPath });
  return { ...request, classPath, artifacts, registryArtifacts, bootstrapRecords };
}

function artifactsFor({ options, workspace }: JavaStart): ArtifactRequest {
  return { workspace, environment: process.env, signal: options.signal, log: options.log ?? silent };
}

/** Another process may take a free port between its choice and Java's listening on it: then retries with other ports. */
async function readyBroker(
  options: BrokerOptions,
  nodeCount: number,
  launchOn: (ports: PortPlan) => JavaBroker | Promise<JavaBroker>,
): Promise<JavaBroker> {
  const fixed = options.port !== undefined || options.registryPort !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    const broker = await launchOn(await planPorts(options, nodeCount));
    try {
      await broker.ready(options.signal);
      return broker;
    } catch (error) {
      await broker.stop();
      if (fixed || attempt === ATTEMPTS_MAX || !(error instanceof PortInUse)) throw error;
    }
  }
}

async function launch(prepared: Prepared, ports: PortPlan): Promise<JavaBroker> {
  const { dataDir, options, mode, registryArtifacts } = prepared;
  const temporary = options.ephemeral === true;
  const controllerPorts = ports.nodes.map(({ controllerPort }) => controllerPort);
  const gates = options.isolatable === true ? await ControllerGates.open(controllerPorts) : undefined;
  const nodes = ports.nodes.map((each, index): NodePlan => ({
    id: index + 1,
    ...each,
    controllerGate: gates?.ports[index],
    folder: join(dataDir, `node-${index + 1}`),
  }));
  for (const { folder } of nodes) setAside(join(folder, 'broker.log'));
  const { listeners, properties, bootstrapRecords, files } = await secured(prepared, nodes, ports.tokens);
  writeNodes(nodes, bootstrapRecords, { ...properties, ...options.properties });
  const processes = nodes.map((node) => planNode(prepared, node, files));
  if (files !== undefined) processes.push(planTokenEndpoint(files, ports.tokens));
  const plan = { dataDir, temporary, mode, nodes, gates, listeners };
  if (registryArtifacts === undefined) return new JavaBroker({ ...plan, processes, registryPort: undefined });
  const place: RegistryPlace = { artifacts: registryArtifacts, dataDir, port: ports.registry, durable: !temporary };
  processes.push(planRegistry(prepared.java, place));
  return new JavaBroker({ ...plan, processes, registryPort: ports.registry });
}

interface Secured {
  readonly listeners: readonly SecuredListener[];
  readonly properties: ServerProperties;
  readonly bootstrapRecords: string;
  /** undefined: not secured. */
  readonly files: SecuredFiles | undefined;
}

/** The additions of a secured broker; empty for any other. */
async function secured(prepared: Prepared, nodes: readonly NodePlan[], tokenPort: number): Promise<Secured> {
  const { dataDir, options, java, classPath, bootstrapRecords } = prepared;
  if (options.secure !== true) return { listeners: [], properties: {}, bootstrapRecords, files: undefined };
  const files = makeSecuredFiles(dataDir, Date.now());
  const users = securedUsers(files);
  const place = { folder: files.folder, java: java.command, classPath };
  return {
    files,
    listeners: securedListeners(nodes, files, tokenPort),
    properties: securedProperties(files, users, tokenPort),
    bootstrapRecords: await bootstrapRecordsOf(place, scramArguments(users)),
  };
}

/** Sets an earlier log aside, so that a failure shows the last lines of this start. One earlier log is kept. */
function setAside(log: string): void {
  if (existsSync(log)) renameSync(log, `${log}.previous`);
}

function planNode(
  { java, classPath, artifacts, options }: Prepared,
  node: NodePlan,
  files: SecuredFiles | undefined,
): ProcessPlan {
  return planJava(java, {
    name: `node-${node.id}`,
    folder: node.folder,
    heapMb: options.heapMb ?? HEAP_MB_DEFAULT,
    shortLived: options.shortLived === true,
    archive: { folder: artifacts, of: 'broker', mayWrite: options.endsAtOnce !== true },
    args: [
      `-Dflatline.log=${join(node.folder, 'broker.log')}`,
      `-Dlog4j2.configurationFile=${join(node.folder, 'log4j2.properties')}`,
      ...(files === undefined ? [] : tokenArguments(files)),
      '-cp',
      classPath,
      'kafka.Kafka',
      join(node.folder, 'server.properties'),
    ],
  });
}
