// `npm run chart [-- --check]`: renders the Helm chart with each file of values, for review and for tests on machines without
// Helm, and records its errors for those of `refused`. Needs `helm` 3 on the PATH. With --check it compares instead of writing:
// with Helm's present output, or, without Helm, by hashes of the sources and of the records, which no hand has changed.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHART = 'infra/helm/flatline';
const RECORDED = 'infra/helm/rendered';
/** Helm's own default depends on how it was built. */
const KUBERNETES = '1.33.0';
/** The default would be that of the user's kubeconfig. */
const NAMESPACE = 'sales';
const VALUES = 'infra/helm/values';
const values = globSync(`${VALUES}/**/*.yaml`, { cwd: root }).toSorted();
const isRefused = (path: string): boolean => basename(dirname(path)) === 'refused';
const mark = `# Rendered by npm run chart; ${hashOfSources()} gives `;

if (process.argv.includes('--check')) {
  const hasHelm = spawnSync('helm', ['version']).status === 0;
  const isCurrent = (path: string): boolean => {
    const recorded = recordedOf(path);
    return recorded === (hasHelm ? rendered(path) : marked(recorded.slice(recorded.indexOf('\n') + 1)));
  };
  for (const path of values.filter((each) => !isCurrent(each))) {
    console.error(`${recordOf(path)} is not what the chart gives: npm run chart`);
    process.exitCode = 1;
  }
} else {
  for (const path of values) {
    if (!isRefused(path)) helm('lint', '--strict', CHART, '--values', path);
    mkdirSync(join(root, dirname(recordOf(path))), { recursive: true });
    writeFileSync(join(root, recordOf(path)), rendered(path));
  }
}

/** Hash of everything that determines the output. */
function hashOfSources(): string {
  const patterns = [`${CHART}/**/*.{yaml,tpl,txt}`, `${VALUES}/**/*.yaml`];
  const hash = createHash('sha256');
  for (const path of patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted())
    hash.update(path).update(readFileSync(join(root, path)));
  return shown(hash);
}

function shown(hash: Hash): string {
  return hash.digest('hex').slice(0, 16);
}

function marked(text: string): string {
  return `${mark}${shown(createHash('sha256').update(text))}\n${text}`;
}

/** Path of the recorded output for a file of values. */
function recordOf(path: string): string {
  const record = join(RECORDED, relative(VALUES, path));
  return isRefused(path) ? record.replace(/yaml$/, 'txt') : record;
}

/** Empty: not rendered yet. */
function recordedOf(path: string): string {
  const file = join(root, recordOf(path));
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function rendered(path: string): string {
  const args = ['template', 'shop', CHART, '--kube-version', KUBERNETES, '--namespace', NAMESPACE, '--values', path];
  if (!isRefused(path)) return marked(helm(...args));
  const reason = /^Error: execution error at .*?\): (.*)$/m.exec(runHelm(args).stderr)?.[1];
  if (reason === undefined) throw new Error(`helm did not refuse ${path}`);
  return marked(`${reason}\n`);
}

function helm(...args: readonly string[]): string {
  const { stdout, stderr, status } = runHelm(args);
  if (status !== 0) throw new Error(`helm ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function runHelm(args: readonly string[]): SpawnSyncReturns<string> {
  const run = spawnSync('helm', args, { cwd: root, encoding: 'utf8' });
  if (run.error !== undefined)
    throw new Error('helm is not on the PATH: https://helm.sh/docs/intro/install', { cause: run.error });
  return run;
}
