export const PEER_NAMES = [
  'kafka-streams',
  'zookeeper',
  'etcd',
  'redis',
  'bullmq',
  'postgresql',
  'nats',
  'quix',
  'librdkafka',
  'confluent',
] as const;
export type PeerName = (typeof PEER_NAMES)[number];
