// `npm run release [-- --dry-run | --rehearse]`: packs twice, and publishes both packages with a provenance statement if there is no
// objection.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PUBLISHED, tarballOf } from './packing/published.ts';
import { rehearse } from './releasing/rehearsal.ts';
import { releaseProblems } from './releasing/release-problems.ts';
import { integrityIn, publishedIntegrity, type Upload, uploadMissing } from './releasing/uploads.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const USAGE = `usage: npm run release [-- --dry-run | --rehearse [--packed]]

Packs both packages, twice to see that both give the same bytes, and publishes them with a provenance statement each.

  --dry-run    say what speaks against it, have npm check everything but the upload, publish nothing
  --rehearse   publish to a registry of its own on this machine, install from there in an empty folder and run both packages;
               the statements, unsigned, stay in dist/packages
  --packed     of a rehearsal: take the tarballs that are in dist/packages
  --help       this page

Exit code 0: done. 1: refused, or a step failed. 2: wrong flags.

Examples:
  $ npm run release -- --dry-run
  $ npm run release -- --rehearse
`;

const flags = given();
if (flags.help) process.stdout.write(USAGE);
else if (flags.rehearse) {
  if (!flags.packed) packed();
  try {
    await rehearse(root, (line) => {
      console.log(line);
    });
  } catch (error) {
    console.error(`the rehearsal failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
} else {
  try {
    await release(flags['dry-run']);
  } catch (error) {
    console.error(`refused: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function given() {
  const flag = { type: 'boolean', default: false } as const;
  const options = { 'dry-run': flag, rehearse: flag, packed: flag, help: flag };
  try {
    const { values } = parseArgs({ options });
    if (values.packed && !values.rehearse) throw new Error('--packed is for a rehearsal: add --rehearse');
    if (values.rehearse && values['dry-run']) throw new Error('--rehearse publishes, --dry-run does not: choose one');
    return values;
  } catch (error) {
    process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(2);
  }
}

async function release(isDry: boolean): Promise<void> {
  const integrities = packed();
  const facts = factsOf();
  const problems = [
    ...releaseProblems(facts),
    ...(packed().join() === integrities.join()
      ? []
      : ['packing twice gives two results, which cannot be checked against the commit']),
  ];
  for (const problem of problems) console.error(`${isDry ? 'would refuse' : 'refused'}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  if (problems.length > 0 && !isDry) return;
  const uploads = PUBLISHED.map(({ name }, i) => ({ name, version: facts.version, integrity: integrities[i]!, i }));
  const publish = ({ i }: { readonly i: number }): Promise<void> => {
    const how = ['--access', 'public', '--provenance', ...(isDry ? ['--dry-run'] : [])];
    run('npm', ['publish', tarballOf(root, PUBLISHED[i]!), ...how], 'inherit');
    return Promise.resolve();
  };
  // A dry run asks no registry.
  const surroundings = { cwd: root, env: process.env, flags: [] };
  const integrityOf = isDry
    ? () => Promise.resolve(undefined)
    : (upload: Upload) => publishedIntegrity(upload, surroundings);
  await uploadMissing(uploads, { integrityOf, publish }, ({ name, integrity }, wasThere) => {
    const done = isDry ? 'would be published' : wasThere ? 'was published before' : 'is published';
    console.log(`${name} ${done}: ${integrity}`);
  });
}

/** Integrities of the tarballs. */
function packed(): string[] {
  run('node', ['--conditions=@flatline/source', 'scripts/pack.ts'], 'inherit');
  return PUBLISHED.map((published) => integrityIn(tarballOf(root, published)));
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
