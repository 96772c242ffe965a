// A private rehearsal of a release: `npm publish` uploads both tarballs with provenance to a registry on loopback, and they are used
// from there in an empty folder. Only the signature of the statements is missing.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PUBLISHED, statementFileOf, tarballOf, versionOf } from '../packing/published.ts';
import { RehearsalRegistry } from './rehearsal-registry.ts';
import { integrityIn, publishedIntegrity, type Upload, uploadMissing } from './uploads.ts';

const STEP_LIMIT_MS = 120_000;
const TOKEN = 'rehearsal';
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
/** The connection is refused, since nothing listens there; by then everything has been loaded. */
const SDK_LINES = `import { connect } from '@flatline/client';
const flatline = connect({ brokers: ['127.0.0.1:1'] });
await flatline.heartbeats({ topic: 'visits' }).catch(({ message }) => console.log(message));
await flatline.close();`;

/** @throws Error with the output of the step that failed. */
export async function rehearse(root: string, say: (line: string) => void): Promise<void> {
  const upstream = (await run('npm', ['config', 'get', 'registry'], root, process.env)).trim();
  const names = PUBLISHED.map(({ name }) => name);
  const registry = await RehearsalRegistry.start(names, upstream, TOKEN);
  const folder = mkdtempSync(join(tmpdir(), 'flatline-rehearsal-'));
  try {
    const publisher = emptyProject(folder, 'publisher', `//${new URL(registry.url).host}/:_authToken=${TOKEN}`);
    await publish(root, registry, publisher, say);
    // As when a release is repeated: npm takes no version twice.
    await publish(root, registry, publisher, say);
    for (const published of PUBLISHED) {
      const file = statementFileOf(root, published);
      writeFileSync(file, `${JSON.stringify(registry.statements.get(published.name), undefined, 2)}\n`);
      say(`the statement of ${published.name} is ${file}`);
    }
    await install(root, registry, emptyProject(folder, 'user', ''), say);
  } finally {
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function emptyProject(folder: string, name: string, settings: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, '.npmrc'), settings);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, version: '1.0.0', private: true }));
  return project;
}

async function publish(
  root: string,
  { url }: RehearsalRegistry,
  cwd: string,
  say: (line: string) => void,
): Promise<void> {
  const commit = await run('git', ['rev-parse', 'HEAD'], root, process.env).catch(() => '0'.repeat(40));
  const version = versionOf(root);
  const env = { ...outside(), ...workflow(version, commit.trim()), NODE_OPTIONS: `--import=${UNSIGNED}` };
  const flags = ['--registry', url, ...QUIET];
  const uploads = PUBLISHED.map((published) => {
    const tarball = tarballOf(root, published);
    return { name: published.name, version, integrity: integrityIn(tarball), tarball };
  });
  const registry = {
    integrityOf: (upload: Upload) => publishedIntegrity(upload, { cwd, env: outside(), flags }),
    publish: async ({ tarball }: { readonly tarball: string }) => {
      await run('npm', ['publish', tarball, '--access', 'public', '--provenance', ...flags], cwd, env);
    },
  };
  await uploadMissing(uploads, registry, ({ name }, wasThere) => {
    say(wasThere ? `${name} was there already` : `${name} published`);
  });
}

const UNSIGNED = new URL('./unsigned.ts', import.meta.url).href;

/** GitHub's description of a workflow, as far as statements need it: its own if this is one. */
function workflow(version: string, commit: string): NodeJS.ProcessEnv {
  const assumed = {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'rehearsal/flatline',
    GITHUB_REPOSITORY_ID: '0',
    GITHUB_REPOSITORY_OWNER_ID: '0',
    GITHUB_REF: `refs/tags/v${version}`,
    GITHUB_WORKFLOW_REF: `rehearsal/flatline/.github/workflows/release.yml@refs/tags/v${version}`,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_SHA: commit,
    GITHUB_RUN_ID: '0',
    GITHUB_RUN_ATTEMPT: '1',
    RUNNER_ENVIRONMENT: 'rehearsal',
  };
  const own = Object.keys(assumed).map((name) => [name, process.env[name]] as const);
  const said = Object.fromEntries(own.filter(([, value]) => value !== undefined));
  return { ...assumed, ...said, GITHUB_ACTIONS: 'true', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://rehearsal.invalid' };
}

async function install(
  root: string,
  { url }: RehearsalRegistry,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const names = PUBLISHED.map(({ name }) => name);
  const how = ['--prefer-offline', '--replace-registry-host=never', '--registry', url, ...QUIET];
  await run('npm', ['install', ...names, ...how], folder, outside());
  const command = join(folder, 'node_modules', '.bin', 'flatline');
  const said = (await run(command, ['--version'], folder, outside())).trim();
  if (said !== versionOf(root)) throw new Error(`flatline --version says ${said}, not ${versionOf(root)}`);
  say(`installed: flatline --version says ${said}`);
  const line = (await run('node', ['--input-type=module', '--eval', SDK_LINES], folder, outside())).trim();
  if (!line.includes('127.0.0.1:1')) throw new Error(`the SDK says ${line}, and not which broker does not answer`);
  say(`the SDK says: ${line}`);
}

/** Without the settings of the npm that started this, and those of a CI, which npm looks for. */
function outside(): NodeJS.ProcessEnv {
  const own = /^(npm_|NODE_OPTIONS$|CI$|CI_|GITLAB_|CIRCLE|GITHUB_|ACTIONS_|FLATLINE_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd, env, timeout: STEP_LIMIT_MS })).stdout;
}
