// The places of things: poms beside the sources, and everything made at run time.
import { Fatal } from '@flatline/base';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Workspace {
  /** Absolute path of the repository, or of the installed package. */
  readonly root: string;
  /** Poms of the software run for development. */
  readonly infra: string;
  /** Data directories, unless others are named. Ignored by git, safe to delete while nothing runs. */
  readonly state: string;
  /** Things fetched or built once. Safe to delete while nothing runs. */
  readonly artifacts: string;
  /** Number of versions of one project kept there; undefined: all. */
  readonly artifactsKeptMax?: number;
}

/** Caches are seldom cleaned: keeps the version that runs now and the one before the last upgrade. */
const ARTIFACTS_KEPT_MAX = 2;

/** The user of a package: the working folder, and the user's cache folder. */
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
 * This file's repository, whether it runs from `src` or from `dist`, keeps everything inside. A package keeps data in the folder
 * where it is used, and downloads in the user's cache. Throws `Fatal` if there are no poms.
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

/** The folder for a user's downloads, by the custom of the platform. */
function cacheFolder({ environment, platform, home }: PackageUser): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  const named = environment[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'] ?? '';
  if (named !== '') return named;
  return platform === 'win32' ? join(home, 'AppData', 'Local') : join(home, '.cache');
}

/** Makes the folder for data of a package where it is used. It contains a rule by which git ignores it. */
export function makeStateFolder({ state }: Pick<Workspace, 'state'>): void {
  const ignoring = join(state, '.gitignore');
  mkdirSync(state, { recursive: true });
  if (!existsSync(ignoring)) writeFileSync(ignoring, '*\n');
}
