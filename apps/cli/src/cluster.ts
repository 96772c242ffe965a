// Which cluster a command talks to: the one named by flag, environment or configuration, else one started here.
import { HttpSchemaRegistry, type SchemaRegistry } from '@flatline/codec';
import { statusDetached } from '@flatline/dev-broker';
import type { KafkaOptions } from '@flatline/kafka';
import { usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

export interface ClusterFlags {
  readonly brokers?: readonly string[];
  readonly config?: string;
}

export interface Cluster {
  readonly kafka: KafkaOptions;
  /** undefined: none is known; Avro then cannot be used. */
  readonly registry: SchemaRegistry | undefined;
}

/** @throws CommandFailure where no cluster is named and none runs here. */
export async function clusterOf(shell: Shell, flags: ClusterFlags): Promise<Cluster> {
  const { clock, env } = shell;
  const named = flags.brokers ?? env['KAFKA_BROKERS']?.split(',');
  const local = named === undefined ? await statusDetached() : undefined;
  const brokers = named ?? local?.bootstrap.split(',');
  if (brokers === undefined)
    throw usageFailure(
      'no broker is named: give --brokers, set KAFKA_BROKERS, or start one with flatline broker start',
    );
  const registryUrl = env['SCHEMA_REGISTRY_URL'] ?? local?.registryUrl;
  return {
    kafka: { brokers, clientId: 'flatline-cli', clock },
    registry: registryUrl === undefined ? undefined : new HttpSchemaRegistry({ url: registryUrl, clock }),
  };
}
