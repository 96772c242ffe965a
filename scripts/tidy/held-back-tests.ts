import { type Finding } from './finding.ts';
import { type Workspace } from './workspace.ts';

/** A test that does not run proves nothing, and `.only` keeps the others from running. */
export function heldBackTests({ projects }: Workspace): Finding[] {
  return projects.flatMap(({ modules }) =>
    modules
      .filter(({ isTest }) => isTest)
      .flatMap(({ path, heldBack }) =>
        heldBack.map(({ call, line }) => ({
          at: `${path}:${line}`,
          message: `${call} keeps tests from running: let them run, or delete them`,
        })),
      ),
  );
}
