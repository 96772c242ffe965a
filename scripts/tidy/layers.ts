/**
 * What each package's sources may depend on, as drawn in docs/ARCHITECTURE.md. Tests may use packages above their own: a
 * library is tested with the simulator or on a real broker.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'timing-wheel': ['base'],
  policies: ['base'],
  task: ['base', 'timing-wheel', 'policies'],
  store: ['base', 'task'],
  kafka: ['base', 'task'],
  simulation: ['base', 'task'],
  codec: ['base', 'policies', 'task'],
  config: ['base', 'policies'],
  runtime: ['base', 'policies', 'task'],
  'dev-broker': ['base'],
  client: ['base', 'policies', 'task', 'kafka', 'codec'],
  verification: ['base'],
  verifier: ['base', 'task', 'kafka', 'store', 'codec', 'config', 'verification'],
};

/** Packages from outside that belong to one library; others come to them through it. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  // Benchmarks run kafkajs as a peer; the end-to-end tests as somebody else's client.
  kafkajs: ['kafka', 'bench', 'e2e'],
  lmdb: ['store'],
};
