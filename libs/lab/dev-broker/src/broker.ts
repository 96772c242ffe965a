import { Fatal, Misconfigured } from '@flatline/base';
import { connect } from 'node:net';
import { sweepEphemeral } from './abandoned.ts';
import { type BrokerMode } from './broker-state.ts';
import { ContainersFailed, findContainerEngine, startInContainers } from './container-broker.ts';
import { ephemeralPrefix } from './data-directory.ts';
import { findJava, JAVA_VERSION_MIN } from './java-runtime.ts';
import { startOnJava, startRegistryOnJava } from './java-start.ts';
import { lookForJava, nothingToRun } from './requirements.ts';
import { type BrokerOptions, type OwnedBroker, type RunningBroker, silent } from './running-broker.ts';
import { workspaceOf } from './workspace.ts';

const CONNECT_WITHIN_MS = 5000;

/** Starts a broker that this process owns: it ends with this process, however that ends. Throws `Fatal`. */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  return startSomewhere(options, 'owned');
}

/**
 * The broker of `KAFKA_BROKERS` if that is set, else one started here and owned by this process. `SCHEMA_REGISTRY_URL`
 * likewise stands in for the registry. Throws `Fatal`.
 */
export async function ensureBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  const registryUrl = setting('SCHEMA_REGISTRY_URL');
  const bootstrap = setting('KAFKA_BROKERS');
  if (bootstrap !== undefined) return brokerOfEnvironment(bootstrap, registryUrl, options);
  if (registryUrl === undefined) return startBroker(options);
  const started = await startSomewhere({ ...options, registry: false }, 'owned');
  return {
    bootstrap: started.bootstrap,
    source: started.source,
    registryUrl,
    listeners: started.listeners,
    nodes: started.nodes,
    stop: () => started.stop(),
  };
}

/** A container if an engine answers, else Java. Throws `Misconfigured` that says what to install if there is neither. */
export async function startSomewhere(options: BrokerOptions, mode: BrokerMode): Promise<OwnedBroker> {
  options.signal?.throwIfAborted();
  const workspace = workspaceOf(import.meta.url);
  if (options.ephemeral === true) await sweepEphemeral(ephemeralPrefix, Date.now());
  const [engine, java] = await Promise.all([
    options.source === 'java' || options.secure === true ? undefined : findContainerEngine(),
    options.source === 'container' ? undefined : lookForJava(process.env, workspace, options),
  ]);
  const runtime = java?.runtime;
  const onJava = runtime && ((): Promise<OwnedBroker> => startOnJava({ options, workspace, java: runtime, mode }));
  if (engine === undefined && onJava !== undefined) return onJava();
  if (engine === undefined) throw new Misconfigured(await nothingToRun(java, options));
  try {
    return await startInContainers({ options, workspace, engine, mode });
  } catch (error) {
    options.signal?.throwIfAborted();
    // An engine that cannot get the image is as good as none.
    if (!(error instanceof ContainersFailed) || onJava === undefined) throw error;
    (options.log ?? silent)(`${error.message}; going on with Java`);
    return onJava();
  }
}

async function brokerOfEnvironment(
  bootstrap: string,
  registryUrl: string | undefined,
  options: BrokerOptions,
): Promise<RunningBroker> {
  const addresses = bootstrap.split(',').map((each) => each.trim());
  const answers = await Promise.all(addresses.map(acceptsConnections));
  if (!answers.includes(true))
    throw new Fatal(
      `KAFKA_BROKERS=${bootstrap}: none of them accepts connections; start it, correct the setting, or unset it to have one started`,
    );
  if (options.registry === true && registryUrl === undefined) return withRegistry(bootstrap, options);
  return { bootstrap, source: 'environment', registryUrl, listeners: [], nodes: [], stop: () => Promise.resolve() };
}

async function withRegistry(bootstrap: string, options: BrokerOptions): Promise<RunningBroker> {
  const java = await findJava(process.env);
  if (java === undefined)
    throw new Fatal(
      `no registry can be started here: install Java ${JAVA_VERSION_MIN} or newer, or set SCHEMA_REGISTRY_URL as KAFKA_BROKERS is`,
    );
  const registry = await startRegistryOnJava({ options, workspace: workspaceOf(import.meta.url), java, mode: 'owned' });
  return {
    bootstrap,
    source: 'environment',
    registryUrl: registry.registryUrl,
    listeners: [],
    nodes: [],
    stop: () => registry.stop(),
  };
}

/** Only opens a connection: a user's broker may require TLS or a password next. */
function acceptsConnections(address: string): Promise<boolean> {
  const split = address.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = connect({
      host: address.slice(0, split),
      port: Number(address.slice(split + 1)),
      timeout: CONNECT_WITHIN_MS,
    });
    const end = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.on('connect', () => {
      end(true);
    });
    for (const failure of ['error', 'timeout'])
      socket.on(failure, () => {
        end(false);
      });
  });
}

function setting(name: string): string | undefined {
  const value = process.env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}
