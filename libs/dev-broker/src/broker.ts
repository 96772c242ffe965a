import { Fatal } from '@flatline/base';
import { findJava, javaVersionMin } from './java-runtime.ts';
import { type JavaBroker, startOnJava } from './java-broker.ts';
import { type BrokerOptions, type RunningBroker } from './running-broker.ts';
import { workspaceOf } from './workspace.ts';

/** Starts a broker that this process owns: it ends with this process, however that ends. Throws `Fatal`. */
export async function startBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  return startJava(options, 'owned');
}

/** The broker of `KAFKA_BROKERS` if that is set, else one started here and owned by this process. Throws `Fatal`. */
export async function ensureBroker(options: BrokerOptions = {}): Promise<RunningBroker> {
  const bootstrap = process.env['KAFKA_BROKERS'];
  if (bootstrap === undefined || bootstrap === '') return startBroker(options);
  return {
    bootstrap,
    source: 'environment',
    registryUrl: process.env['SCHEMA_REGISTRY_URL'],
    nodes: [],
    stop: () => Promise.resolve(),
  };
}

async function startJava(options: BrokerOptions, mode: 'owned' | 'detached'): Promise<JavaBroker> {
  const java = await findJava(process.env);
  if (java === undefined)
    throw new Fatal(
      `no broker can be started here. One of: install Java ${javaVersionMin} or newer and Maven, start Docker, or set KAFKA_BROKERS`,
    );
  return startOnJava({ options, workspace: workspaceOf(import.meta.url), java, mode });
}
