// Which version of the project is measured, and whether it is one at all.
import { execFileSync } from 'node:child_process';

export interface WorkTree {
  /** As git names it; `unknown` without git. */
  readonly commit: string;
  /** What is measured is not that commit: files have been added or changed since, published reports not counted. */
  readonly isDirty: boolean;
}

/** Published pages, from the root: the only files that change while several reports of one commit are written. */
export const REPORTS = 'docs/benchmarks';

/** @param folder somewhere within it */
export function workTreeOf(folder: string): WorkTree {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--', ':/', `:(top,exclude)${REPORTS}`);
    return { commit: git('rev-parse', '--short', 'HEAD'), isDirty: changed !== '' };
  } catch {
    return { commit: 'unknown', isDirty: false }; // a copy without its history
  }
}
