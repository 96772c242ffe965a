// The broker of a benchmark.
import { ensureBroker } from '@flatline/dev-broker';
import { type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { BrokerCpu } from './broker-cpu.ts';

export interface BenchCluster {
  readonly brokers: readonly string[];
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly brokerCpu: BrokerCpu;
  /** Set if one was asked for. */
  readonly schemaRegistryUrl: string | undefined;
}

interface BenchClusterOptions {
  readonly onProgress: (what: string) => void;
  readonly registry?: boolean;
}

/** Gives `measure` a broker, and ends it afterwards. @throws Fatal, Retriable if none can be started; any error of `measure` */
export async function onBenchCluster<T>(
  { onProgress, registry = false }: BenchClusterOptions,
  measure: (cluster: BenchCluster) => Promise<T>,
): Promise<T> {
  const broker = await ensureBroker({ ephemeral: true, registry, log: onProgress });
  const brokers = broker.bootstrap.split(',');
  const kafka: KafkaOptions = { brokers, clientId: 'flatline-bench', clock: systemClock };
  const connection = openCluster(kafka);
  const brokerCpu = new BrokerCpu(broker.nodes.map(({ pid }) => pid));
  const endWatch = brokerCpu.watch();
  try {
    return await measure({ brokers, kafka, connection, brokerCpu, schemaRegistryUrl: broker.registryUrl });
  } finally {
    endWatch();
    connection.close();
    await broker.stop();
  }
}
