// No environment variable may change the product's behaviour for the sake of a test: tests edit its sources instead
// (libs/lab/cluster/src/source-edits.ts). So the product reads the environment in one place, as configuration.
import { type Finding } from './finding.ts';
import { labDoors, labFolders } from './layers.ts';
import { type Tree, type Workspace } from './workspace.ts';

/** They pass the environment to the code that reads configuration from it. */
const ENTRIES: readonly string[] = ['apps/cli/src/main.ts', 'apps/notifier/src/main.ts'];

const READING = /\bprocess\.env\b|\benv\b.*from 'node:process'/;
// Names that switches for tests have had.
const SWITCHING = /FLATLINE_(?:TEST|FAILPOINT)|\bJEST_WORKER_ID\b|\bNODE_ENV\b/;

export function testSwitches(workspace: Workspace): Finding[] {
  return productModules(workspace).flatMap((path) => switchesOf(path, path, workspace.tree));
}

/** The same check of the build of these sources. @param built by path, if there is such a file */
export function builtTestSwitches(workspace: Workspace, built: Tree): Finding[] {
  return productModules(workspace)
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const output = builtFrom(path);
      if (!built.has(output)) return [{ at: output, message: 'is not built: npm run build' }];
      return switchesOf(output, path, built);
    });
}

/** `libs/shell/kafka/src/a/b.ts` → `libs/shell/kafka/dist/a/b.js` */
export function builtFrom(path: string): string {
  return path.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
}

/** Sources that users run: neither of the lab nor of tests. */
export function productModules({ projects }: Workspace): string[] {
  const isOutside = (path: string): boolean =>
    [...labFolders, ...labDoors].some((folder) => path.startsWith(folder)) || !/^(?:libs|apps)\//.test(path);
  return projects
    .flatMap(({ modules }) => modules)
    .filter(({ path, isTest }) => !isTest && path.includes('/src/') && !isOutside(path))
    .map(({ path }) => path);
}

function switchesOf(at: string, source: string, tree: Tree): Finding[] {
  return (tree.get(at) ?? '').split('\n').flatMap((line, index) => {
    const found = SWITCHING.exec(line)?.[0] ?? (ENTRIES.includes(source) ? undefined : READING.exec(line)?.[0]);
    const remedy = `a setting belongs into libs/shell/config, a fault into edits of the source; only ${ENTRIES.join(' and ')} reads the environment`;
    return found === undefined ? [] : [{ at: `${at}:${index + 1}`, message: `has ${found}: ${remedy}` }];
  });
}
