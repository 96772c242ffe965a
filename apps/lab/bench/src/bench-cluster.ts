import { ensureBroker } from '@flatline/dev-broker';
import { type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { BenchmarkOptions } from './benchmark.ts';
import { BrokerCpu } from './broker-cpu.ts';

export interface BenchCluster {
  readonly brokers: readonly string[];
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly brokerCpu: BrokerCpu;
  /** Where one was asked for. */
  readonly schemaRegistryUrl: string | undefined;
}

interface BenchClusterOptions extends Pick<BenchmarkOptions, 'onProgress'> {
  readonly registry?: boolean;
}

/** Gives `measure` a broker, and ends it afterwards. @throws Fatal, Retriable where none can be started; what `measure` does */
export async function onBenchCluster<T>(
  { onProgress, registry = false }: BenchClusterOptions,
  measure: (cluster: BenchCluster) => Promise<T>,
): Promise<T> {
  const broker = await ensureBroker({ ephemeral: true, registry, log: onProgress });
  const brokers = broker.bootstrap.split(',');
  const kafka: KafkaOptions = { brokers, clientId: 'flatline-bench', clock: systemClock };
  const connection = openCluster(kafka);
  try {
    const brokerCpu = new BrokerCpu(broker.nodes.map(({ pid }) => pid));
    return await measure({ brokers, kafka, connection, brokerCpu, schemaRegistryUrl: broker.registryUrl });
  } finally {
    connection.close();
    await broker.stop();
  }
}
