// `npm run chart [-- --check]`: renders the Helm chart with each file of values, for review and for tests on machines without
// Helm. Needs `helm` 3 on the PATH. With --check it compares instead of writing: with what Helm renders now, or, without Helm,
// by a hash of the sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHART = 'infra/helm/flatline';
const RECORDED = 'infra/helm/rendered';
/** Helm assumes one that depends on how it was built. */
const KUBERNETES = '1.33.0';
const values = globSync('infra/helm/values/*.yaml', { cwd: root }).toSorted();
const mark = `# Rendered by npm run chart; ${hashOfSources()}\n`;

if (process.argv.includes('--check')) {
  const hasHelm = spawnSync('helm', ['version']).status === 0;
  const isCurrent = (path: string): boolean => {
    const recorded = recordedOf(path);
    return hasHelm ? recorded === rendered(path) : recorded.startsWith(mark);
  };
  for (const path of values.filter((each) => !isCurrent(each))) {
    console.error(`${RECORDED}/${basename(path)} is not what the chart gives: npm run chart`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(join(root, RECORDED), { recursive: true });
  for (const path of values) {
    helm('lint', '--strict', CHART, '--values', path);
    writeFileSync(join(root, RECORDED, basename(path)), rendered(path));
  }
}

/** Hash of everything that decides what is rendered. */
function hashOfSources(): string {
  const patterns = [`${CHART}/**/*.{yaml,tpl,txt}`, 'infra/helm/values/*.yaml'];
  const hash = createHash('sha256');
  for (const path of patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted())
    hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Empty: not rendered yet. */
function recordedOf(path: string): string {
  const file = join(root, RECORDED, basename(path));
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function rendered(path: string): string {
  return mark + helm('template', 'shop', CHART, '--kube-version', KUBERNETES, '--values', path);
}

function helm(...args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync('helm', args, { cwd: root, encoding: 'utf8' });
  if (error !== undefined)
    throw new Error('helm is not on the PATH: https://helm.sh/docs/intro/install', { cause: error });
  if (status !== 0) throw new Error(`helm ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
