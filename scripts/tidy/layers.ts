/** What a package does not bring along, by any way: whoever installs it gets none of these. */
export const apart: Readonly<Record<string, readonly string[]>> = {
  client: ['kinds', 'timing-wheel', 'partition', 'runtime'],
};

/** Folders of what judges, measures and tries out the product. The product's sources import none of it, but through doors. */
export const labFolders: readonly string[] = ['libs/lab/', 'apps/lab/'];

/**
 * The door to all of the lab: an entry of its own with commands for developers. What is published neither contains nor imports
 * it.
 */
export const labDoors: readonly string[] = ['apps/cli/src/developer/'];

/**
 * What of the lab is published, for those who try the product out, and its door. It is opened only by `import()`, when one of
 * those commands is run: what serves loads none of it (ADR 32).
 */
export const playground: { readonly door: string; readonly packages: readonly string[] } = {
  door: 'apps/cli/src/playground/',
  packages: ['@flatline/dev-broker', '@flatline/fleet'],
};

/** Packages from outside that belong to one library; others come to them through it, by whatever import. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  // Benchmarks run kafkajs as a peer; the end-to-end tests as somebody else's client.
  kafkajs: ['kafka', 'bench', 'e2e'],
  lmdb: ['store'],
};
