// `npm run release [-- --dry-run]`: packs twice, and publishes both packages with a provenance statement if nothing speaks
// against it. With --dry-run it says what does, has npm check everything but the upload, and publishes nothing; exit code 1
// where it would be refused.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PUBLISHED, tarballOf } from './packing/published.ts';
import { releaseProblems } from './releasing/release-problems.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const isDry = process.argv.includes('--dry-run');

const hashes = packed();
const problems = [
  ...releaseProblems(factsOf()),
  ...(packed().join() === hashes.join()
    ? []
    : ['packing twice gives two results, which cannot be checked against the commit']),
];
for (const problem of problems) console.error(`${isDry ? 'would refuse' : 'refused'}: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
if (problems.length > 0 && !isDry) process.exit();
for (const [index, published] of PUBLISHED.entries()) {
  const how = ['--access', 'public', '--provenance', ...(isDry ? ['--dry-run'] : [])];
  run('npm', ['publish', tarballOf(root, published), ...how], 'inherit');
  console.log(`${published.name} ${isDry ? 'would be published' : 'is published'}: sha512-${hashes[index]!}`);
}

/** Hashes of the tarballs, which the same commit gives on every machine. */
function packed(): string[] {
  run('node', ['--conditions=@flatline/source', 'scripts/pack.ts'], 'inherit');
  return PUBLISHED.map((published) =>
    createHash('sha512')
      .update(readFileSync(tarballOf(root, published)))
      .digest('base64'),
  );
}

function factsOf(): Parameters<typeof releaseProblems>[0] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly repository?: { readonly url?: string };
  };
  const released = lines('tag', '--list', 'v*', '--sort=-version:refname').filter(
    (tag) => tag !== `v${manifest.version}`,
  );
  const last = released[0];
  return {
    version: manifest.version,
    last: last?.slice(1),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    apiChanged: last !== undefined && lines('diff', '--name-only', last, '--', 'docs/api').length > 0,
    uncommitted: run('git', ['status', '--porcelain'], 'pipe').trim(),
    tags: lines('tag', '--points-at', 'HEAD'),
    repository: manifest.repository?.url,
    environment: process.env,
  };
}

function lines(...args: readonly string[]): string[] {
  return run('git', args, 'pipe')
    .split('\n')
    .filter((line) => line !== '');
}

function run(command: string, args: readonly string[], output: 'inherit' | 'pipe'): string {
  const stdio = ['ignore', output, 'inherit'] as const;
  const { status, error, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: [...stdio] });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
  return output === 'pipe' ? stdout : '';
}
