// The projects with tests, and the kinds of those tests.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bySeed, importsBroker, isLong, type Tier, tierOf } from './tiers.ts';

/** These take real time, and their seeds draw little. */
const realTiers: ReadonlySet<Tier> = new Set(['broker', 'end-to-end']);

export interface TestProject {
  /** `kafka`. */
  readonly name: string;
  /** `libs/shell/kafka`. */
  readonly folder: string;
  /** True if its tests use a broker. */
  readonly usesBroker: boolean;
  /** True if `npm test` has tests of it. */
  readonly hasShort: boolean;
  /** Files of tests of it that `npm run gate` has. */
  readonly longFiles: number;
  /** Files of `npm test`, relative to its folder, whose cases a seed draws and that need no broker. */
  readonly bySeed: readonly string[];
}

/** In the order of their paths. */
export function testProjects(root: string): TestProject[] {
  return globSync('{libs/*/*,apps/cli,apps/lab/*,scripts}/jest.config.mjs', { cwd: root })
    .map((path) => path.replace('/jest.config.mjs', ''))
    .toSorted()
    .flatMap((folder) => projectIn(root, folder) ?? []);
}

function projectIn(root: string, folder: string): TestProject | undefined {
  const paths = globSync('**/*.test.ts', { cwd: join(root, folder), exclude: ['dist', 'node_modules'] }).toSorted();
  if (paths.length === 0) return undefined;
  const tests = paths.map((path) => ({ path, source: readFileSync(join(root, folder, path), 'utf8') }));
  const setUp = readFileSync(join(root, folder, 'jest.config.mjs'), 'utf8').includes('@flatline/dev-broker');
  return {
    name: folder.split('/').at(-1) ?? folder,
    folder,
    usesBroker: setUp || tests.some(({ source }) => importsBroker(source)),
    hasShort: paths.some((path) => !isLong(path)),
    longFiles: paths.filter(isLong).length,
    bySeed: tests
      .filter(
        ({ path, source }) => !isLong(path) && bySeed(source) && !realTiers.has(tierOf(`/${folder}/${path}`, source)),
      )
      .map(({ path }) => path),
  };
}

/** The named ones, or all if none is named; or a message about unknown names. */
export function choose<T extends { readonly name: string }>(all: readonly T[], names: readonly string[]): T[] | string {
  const unknown = names.filter((name) => !all.some((each) => each.name === name));
  if (unknown.length > 0) return `no ${unknown.join(', ')}; there are: ${all.map(({ name }) => name).join(', ')}`;
  return names.length === 0 ? [...all] : all.filter(({ name }) => names.includes(name));
}
