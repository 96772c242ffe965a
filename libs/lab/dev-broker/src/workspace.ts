import { Fatal } from '@flatline/base';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Workspace {
  /** Absolute path of the repository. */
  readonly root: string;
  /** Poms of what is run for development. */
  readonly infra: string;
  /** Everything made at run time: artifacts and the default data directory. Ignored by git, safe to delete. */
  readonly state: string;
}

/** The repository this file belongs to, whether it runs from `src` or from `dist`. Throws `Fatal` outside of one. */
export function workspaceOf(moduleUrl: string): Workspace {
  let folder = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(folder, 'infra', 'broker', 'pom.xml'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Fatal(`no infra/broker/pom.xml above ${fileURLToPath(moduleUrl)}: run from a clone of the repository`);
    folder = parent;
  }
  return { root: folder, infra: join(folder, 'infra'), state: join(folder, '.flatline') };
}
