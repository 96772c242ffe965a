// Settings of a broker's containers. Pure; versions are those of infra/*/pom.xml (a test compares them).
import { clusterProperties, type ServerProperties } from './node-settings.ts';

export const KAFKA_IMAGE = 'apache/kafka:4.1.1';
export const REGISTRY_IMAGE = 'apicurio/apicurio-registry:3.0.9';

/** Ports inside a container. */
export const inner = { client: 9092, broker: 19092, controller: 9093, registry: 8080 } as const;
/** Where Kafka's image keeps its log; a volume of the image, so that its user may write there. */
export const INNER_STORAGE = '/var/lib/kafka/data';

export interface ContainerNode {
  readonly id: number;
  /** Port on the engine's host. */
  readonly port: number;
}

/** Name of a node on the containers' own network. */
export function aliasOf(id: number): string {
  return `node-${id}`;
}

/** Environment of one node of Kafka's image. `host`: where clients find the engine's ports. */
export function nodeEnvironment(
  node: ContainerNode,
  cluster: {
    readonly nodes: readonly ContainerNode[];
    readonly id: string;
    readonly host: string;
    readonly heapMb: number;
  },
  overrides: ServerProperties = {},
): Record<string, string> {
  const properties: ServerProperties = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': cluster.nodes.map(({ id }) => `${id}@${aliasOf(id)}:${inner.controller}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    // Nodes reach each other by name, clients by the engine's host: two listeners.
    listeners: `CLIENT://0.0.0.0:${inner.client},BROKER://0.0.0.0:${inner.broker},CONTROLLER://0.0.0.0:${inner.controller}`,
    'advertised.listeners': `CLIENT://${cluster.host}:${node.port},BROKER://${aliasOf(node.id)}:${inner.broker}`,
    'listener.security.protocol.map': 'CLIENT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'BROKER',
    'log.dirs': INNER_STORAGE,
    ...clusterProperties(cluster.nodes.length),
    ...overrides,
  };
  const variables = Object.entries(properties).map(([key, value]) => [variableOf(key), String(value)] as const);
  return {
    ...Object.fromEntries(variables),
    CLUSTER_ID: cluster.id,
    KAFKA_HEAP_OPTS: `-Xmx${cluster.heapMb}m`,
    KAFKA_LOG4J_ROOT_LOGLEVEL: 'WARN',
  };
}

/** `log.retention.ms` in the form of Kafka's image: `KAFKA_LOG_RETENTION_MS`; an original `_` is doubled, `-` tripled. */
export function variableOf(property: string): string {
  return `KAFKA_${property.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_').toUpperCase()}`;
}
