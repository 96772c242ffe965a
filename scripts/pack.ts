// `npm run pack [-- --record]`: builds the packages that are published, packs them into dist/packages, and has them linted.
// With --record their API replaces the one in docs/api; otherwise a difference is an error.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { apiPageOf, apiProblems, recordApi } from './packing/api-page.ts';
import { declarationsOf } from './packing/declarations.ts';
import { lintProblems } from './packing/linting.ts';
import { entriesOf, PUBLISHED, type Published, stagingOf, tarballOf } from './packing/published.ts';
import { stage } from './packing/staging.ts';
import { undocumentedOptions } from './packing/undocumented-options.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const record = process.argv.includes('--record');

run('tsc', ['-b', ...PUBLISHED.map(({ folder }) => folder)]);
const problems: string[] = [];
for (const published of PUBLISHED) problems.push(...(await pack(published)));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function pack(published: Published): Promise<string[]> {
  const problems: string[] = [];
  const texts: Record<string, string> = {};
  for (const entry of entriesOf(published)) {
    const declarations = declarationsOf(root, published, entry);
    texts[entry.file] = await format(declarations, { parser: 'typescript' });
    const page = await apiPageOf(root, entry, declarations);
    if (record) recordApi(root, entry, page);
    problems.push(
      ...apiProblems(root, entry, page),
      ...undocumentedOptions(declarations).map((lack) => `${lack} is not said in its comment`),
    );
  }
  const folder = await stage(root, published, texts);
  run('npm', ['pack', '--silent', '--pack-destination', stagingOf(root), folder]);
  return [...problems, ...(await lintProblems(tarballOf(root, published)))].map(
    (problem) => `${published.name}: ${problem}`,
  );
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
