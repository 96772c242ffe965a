// Which cluster a command talks to: the one named by flag, environment or configuration, else one started here.
import type { Clock } from '@flatline/base';
import { HttpSchemaRegistry, type SchemaRegistry } from '@flatline/records';
import type { FlatlineConfig, SecretSection } from '@flatline/config';
import { KafkaAccess, type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import { type ConfigurationFlags, foundConfigurationOf } from './configuration.ts';
import { interruptedBefore, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';
import { type Stop, unlessStopped } from './stop.ts';

export interface Cluster {
  readonly kafka: KafkaOptions;
  /** undefined: none is known, so Avro cannot be used. */
  readonly registry: SchemaRegistry | undefined;
  /** undefined: there is no configuration file. */
  readonly config: FlatlineConfig | undefined;
}

const CLIENT_ID = 'flatline-cli';

/** @throws CommandFailure where no cluster is named and none runs here. */
export async function clusterOf(
  shell: Shell,
  flags: ConfigurationFlags,
  uses: readonly SecretSection[],
): Promise<Cluster> {
  const { clock, env } = shell;
  const config = await foundConfigurationOf(shell, flags, uses);
  if (config !== undefined) return { kafka: kafkaOf(config, clock), registry: registryOf(config, clock), config };
  const named = flags.brokers ?? setting(env['KAFKA_BROKERS'])?.split(',');
  const local = named === undefined ? await shell.localBroker?.() : undefined;
  const brokers = named ?? local?.bootstrap.split(',');
  if (brokers === undefined)
    throw usageFailure(
      'no broker is named: give --brokers, set KAFKA_BROKERS, or start one with flatline broker start',
    );
  const url = setting(env['SCHEMA_REGISTRY_URL']) ?? local?.registryUrl;
  const registry = url === undefined ? undefined : new HttpSchemaRegistry({ url, clock });
  return { kafka: { brokers, clientId: CLIENT_ID, clock }, registry, config };
}

export function kafkaOf({ brokers, kafka: { credentials } }: FlatlineConfig, clock: Clock): KafkaOptions {
  return { brokers, clientId: CLIENT_ID, clock, access: new KafkaAccess({ clock, credentials }) };
}

export function registryOf({ schemaRegistry }: FlatlineConfig, clock: Clock): SchemaRegistry | undefined {
  return schemaRegistry && new HttpSchemaRegistry({ ...schemaRegistry, clock });
}

/**
 * A connection on which a broker has answered: whoever waits at a terminal hears at once that none does.
 * @throws Retriable naming the addresses, CommandFailure where it is stopped before.
 */
export async function connect(kafka: KafkaOptions, stop: Stop): Promise<KafkaConnection> {
  const connection = openCluster(kafka);
  try {
    await unlessStopped(connection.refresh([]), stop);
    if (stop.signal.aborted) throw interruptedBefore('a broker answered');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A variable that is set to nothing is not set. */
function setting(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value;
}
