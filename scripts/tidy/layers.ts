/** Packages that must not be reachable from another, by any path: whoever installs that gets none of these. */
export const apart: Readonly<Record<string, readonly string[]>> = {
  client: ['kinds', 'timing-wheel', 'partition', 'runtime'],
};

/** Folders that judge, measure and try out the product. The product's sources import nothing from them, except through doors. */
export const labFolders: readonly string[] = ['libs/lab/', 'apps/lab/'];

/**
 * The door to all of the lab: a separate entry with commands for developers. Published packages neither contain nor import
 * it.
 */
export const labDoors: readonly string[] = ['apps/cli/src/developer/'];

/**
 * The published part of the lab, for users who try the product out, and its door. It is opened only by `import()`, when one of
 * those commands is run: a server loads none of it (ADR 32).
 */
export const playground: { readonly door: string; readonly packages: readonly string[] } = {
  door: 'apps/cli/src/playground/',
  packages: ['@flatline/dev-broker', '@flatline/fleet'],
};

/** Third-party packages that belong to one library; others use them only through it, by whatever import. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  // Benchmarks run kafkajs as a peer, the end-to-end tests as a foreign client.
  kafkajs: ['kafka', 'bench', 'e2e'],
  lmdb: ['store'],
  pg: ['sink'],
};
