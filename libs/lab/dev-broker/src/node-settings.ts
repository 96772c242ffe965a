// The settings of one Kafka node, as text. Pure.

export interface NodePlan {
  /** 1, 2, 3: also the node id. */
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  /** Announced to the nodes instead of `controllerPort`, if a proxy stands before it. */
  readonly controllerGate?: number | undefined;
  /** Absolute path of the node's own folder. */
  readonly folder: string;
  /** Listeners that require TLS or a login, beside the plain one. */
  readonly secured?: SecuredPorts | undefined;
}

export interface SecuredPorts {
  /** TLS, with an anonymous client. */
  readonly tls: number;
  /** TLS, with a client certificate. */
  readonly mutualTls: number;
  /** TLS, with a login. */
  readonly sasl: number;
}

/** Any of Kafka's server.properties; overrides the choices here. */
export type ServerProperties = Readonly<Record<string, string | number | boolean>>;

/** `server.properties` of one node of a cluster whose nodes are all broker and controller. */
export function serverProperties(node: NodePlan, nodes: readonly NodePlan[], overrides: ServerProperties = {}): string {
  const voters = nodes.map((each) => `${each.id}@127.0.0.1:${each.controllerGate ?? each.controllerPort}`).join(',');
  const gate = node.controllerGate === undefined ? '' : `,CONTROLLER://127.0.0.1:${node.controllerGate}`;
  const secured = securedAddresses(node.secured);
  const properties: ServerProperties = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': voters,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${node.port}${secured},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}${secured}${gate}`,
    ...(node.secured !== undefined && { 'listener.security.protocol.map': SECURED_PROTOCOLS }),
    'log.dirs': `${node.folder}/data`,
    ...clusterProperties(nodes.length),
    ...overrides,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${escapeValue(String(value))}\n`)
    .join('');
}

const SECURED_PROTOCOLS = 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MTLS:SSL,SASL:SASL_SSL';

function securedAddresses(ports: SecuredPorts | undefined): string {
  if (ports === undefined) return '';
  const { tls, mutualTls, sasl } = ports;
  return `,TLS://127.0.0.1:${tls},MTLS://127.0.0.1:${mutualTls},SASL://127.0.0.1:${sasl}`;
}

/** Properties common to all nodes. The same for jars and for containers. */
export function clusterProperties(nodeCount: number): ServerProperties {
  const replication = nodeCount >= 3 ? 3 : 1;
  const inSyncMin = nodeCount >= 3 ? 2 : 1;
  return {
    'default.replication.factor': replication,
    'min.insync.replicas': inSyncMin,
    'offsets.topic.replication.factor': replication,
    'transaction.state.log.replication.factor': replication,
    'transaction.state.log.min.isr': inSyncMin,
    'share.coordinator.state.topic.replication.factor': replication,
    'share.coordinator.state.topic.min.isr': inSyncMin,
    // Each is a folder with open files, made on first use: 50 would cost a small machine seconds.
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.num.partitions': 1,
    // A mistyped topic name is an error, as it should be in production.
    'auto.create.topics.enable': false,
    'delete.topic.enable': true,
    'log.message.timestamp.type': 'CreateTime',
    'log.retention.ms': -1,
    'log.retention.bytes': -1,
    // Tests end a member's session in seconds; the default lower bound is 6 s.
    'group.min.session.timeout.ms': 1000,
    // Waiting for more members costs every first join 3 s.
    'group.initial.rebalance.delay.ms': 0,
  };
}

/** Warnings and worse go to the file named by the system property `flatline.log`; rotation bounds it at 3 × 10 MB. */
export const LOG4J_PROPERTIES = `status = error
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = \${sys:flatline.log}
appender.file.filePattern = \${sys:flatline.log}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{ISO8601} %p %c{1}: %m%n
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 2
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
`;

/** Java reads a backslash in a properties file as an escape: a Windows path needs it doubled. */
function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\');
}
