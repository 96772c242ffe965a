// The release before this one, packed by itself from its commit: into .flatline/artifacts, once.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, version } from './installation.fixture.ts';

/** Stands in until there is a release: it writes changelog format 2. */
const FIRST = 'a2b71737fb4ad0458ade5170129883beb9e12d53';
const FIRST_VERSION = '0.0.0';
const STAGE = `
  import { PUBLISHED } from './scripts/packing/published.ts';
  import { stage } from './scripts/packing/staging.ts';
  await stage(process.cwd(), PUBLISHED.find(({ name }) => name === 'flatline'), '');`;

export interface Previous {
  readonly version: string;
  readonly tarball: string;
}

/** Undefined if this is no clone, or one without that commit. */
export function previousRelease(): Previous | undefined {
  const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname').filter((each) => each !== `v${version}`);
  const [commit] = git('rev-parse', '--verify', '--quiet', `${tag ?? FIRST}^{commit}`);
  if (commit === undefined) return undefined;
  const name = tag?.slice(1) ?? FIRST_VERSION;
  const folder = join(root, '.flatline/artifacts', `previous-${commit.slice(0, 12)}`);
  const tarball = join(folder, `flatline-${name}.tgz`);
  if (!existsSync(tarball)) pack(commit, folder, name);
  return { version: name, tarball };
}

function pack(commit: string, folder: string, name: string): void {
  const tree = join(folder, 'tree');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  run(root, 'git', 'archive', '--output', join(folder, 'tree.tar'), commit);
  run(tree, 'tar', '-xf', join(folder, 'tree.tar'));
  // Its own dependencies, by its own lockfile: they may differ from today's.
  run(tree, 'npm', 'ci', '--silent', '--ignore-scripts', '--no-audit', '--no-fund');
  const manifest = join(tree, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]*"/, `"version": "${name}"`));
  run(tree, process.execPath, '--conditions=@flatline/source', '--input-type=module', '--eval', STAGE);
  run(tree, 'npm', 'pack', '--silent', '--pack-destination', tree, join(tree, 'dist/packages/flatline'));
  renameSync(join(tree, `flatline-${name}.tgz`), join(folder, `flatline-${name}.tgz`));
  for (const each of ['tree', 'tree.tar']) rmSync(join(folder, each), { recursive: true });
}

function git(...args: readonly string[]): string[] {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}

function run(cwd: string, program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
