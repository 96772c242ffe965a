// Where things are: poms beside the sources, and what is made at run time.
import { Fatal } from '@flatline/base';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Workspace {
  /** Absolute path of the repository, or of the installed package. */
  readonly root: string;
  /** Poms of what is run for development. */
  readonly infra: string;
  /** Data directories, unless others are named. Ignored by git, safe to delete while nothing runs. */
  readonly state: string;
  /** What is fetched or built once. Safe to delete while nothing runs. */
  readonly artifacts: string;
  /** How many versions of one project are kept there; undefined: all. */
  readonly artifactsKeptMax?: number;
}

/** Caches are seldom cleaned: what runs now, and what ran before the last upgrade. */
const ARTIFACTS_KEPT_MAX = 2;

/** Who uses a package: in which folder, and where that person's caches are. */
export interface PackageUser {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

const thisUser = (): PackageUser => ({
  folder: process.cwd(),
  environment: process.env,
  platform: process.platform,
  home: homedir(),
});

/**
 * The repository this file belongs to, whether it runs from `src` or from `dist`, keeps everything in itself. A package keeps
 * data in the folder where it is used, and what it fetches in the user's cache. Throws `Fatal` where there are no poms.
 */
export function workspaceOf(moduleUrl: string, user: PackageUser = thisUser()): Workspace {
  let folder = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(folder, 'infra', 'broker', 'pom.xml'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Fatal(`no infra/broker/pom.xml above ${fileURLToPath(moduleUrl)}: install the package again`);
    folder = parent;
  }
  const infra = join(folder, 'infra');
  const isRepository = existsSync(join(folder, 'nx.json'));
  if (!isRepository) {
    const artifacts = join(cacheFolder(user), 'flatline', 'artifacts');
    const state = join(user.folder, '.flatline');
    return { root: folder, infra, state, artifacts, artifactsKeptMax: ARTIFACTS_KEPT_MAX };
  }
  const state = join(folder, '.flatline');
  return { root: folder, infra, state, artifacts: join(state, 'artifacts') };
}

/** Where programs of a user keep what can be fetched again, by the custom of the platform. */
function cacheFolder({ environment, platform, home }: PackageUser): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  const named = environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'] ?? '';
  if (named !== '') return named;
  return platform === 'win32' ? join(home, 'AppData', 'Local') : join(home, '.cache');
}

/** Makes the folder for what a package keeps where it is used. It ignores itself, so that git does not see it. */
export function makeStateFolder({ state }: Pick<Workspace, 'state'>): void {
  const ignoring = join(state, '.gitignore');
  mkdirSync(state, { recursive: true });
  if (!existsSync(ignoring)) writeFileSync(ignoring, '*\n');
}
