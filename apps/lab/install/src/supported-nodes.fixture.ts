// The Node versions that packages are tested on: this one, and the oldest supported one, if npm has it for this platform.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './installation.fixture.ts';

const OLDEST = join(root, 'apps/lab/install/node-22');
const KEPT = join(root, '.flatline/artifacts/node-22');

/** By their versions; the oldest one is fetched once, and pinned by its hash. */
export function supportedNodes(): [version: string, path: string][] {
  const path = join(KEPT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(path)) fetchOldest();
  const paths = existsSync(path) ? [process.execPath, path] : [process.execPath];
  return paths.map((each) => [spawnSync(each, ['--version'], { encoding: 'utf8' }).stdout.trim(), each]);
}

function fetchOldest(): void {
  mkdirSync(KEPT, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(OLDEST, name), join(KEPT, name));
  const { status, stderr } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: KEPT,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`npm ci in ${KEPT} ended with ${status ?? 'no code'}: ${stderr}`);
}
