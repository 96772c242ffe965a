// A rehearsed release: published to a registry on loopback, installed from there, with unsigned provenance statements.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root, version } from './installation.fixture.ts';

/** As a workflow of GitHub would run it. */
const workflow = {
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'shop/flatline',
  GITHUB_REF: `refs/tags/v${version}`,
  GITHUB_WORKFLOW_REF: `shop/flatline/.github/workflows/release.yml@refs/tags/v${version}`,
  GITHUB_SHA: '7098f9a622f39f456e40fc7d20b116f90531c18b',
  RUNNER_ENVIRONMENT: 'github-hosted',
};

function release(...flags: readonly string[]) {
  const args = ['--conditions=@flatline/source', 'scripts/release.ts', ...flags];
  const env = { ...process.env, ...workflow };
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env, timeout: 240_000 });
}

describe('the rehearsal of a release', () => {
  const names = ['flatline', 'flatline-client'].map((name) => join(root, 'dist/packages', `${name}-${version}`));
  let rehearsed: ReturnType<typeof release>;
  beforeAll(() => {
    for (const name of names) rmSync(`${name}.provenance.json`, { force: true });
    rehearsed = release('--rehearse', '--packed');
  });

  test('publishes both packages, and runs what npm installs from there', () => {
    const { status, stdout, stderr } = rehearsed;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('flatline published');
    expect(stdout).toContain('@flatline/client was there already');
    expect(stdout).toContain('@flatline/client published');
    expect(stdout).toContain(`flatline --version says ${version}`);
    expect(stdout).toContain('the SDK says: no broker answers');
  });

  test('has npm state by which workflow, of which source, the very tarballs were made', () => {
    const statements = names.map((name) => JSON.parse(readFileSync(`${name}.provenance.json`, 'utf8')) as object);
    const hashes = names.map((name) =>
      createHash('sha512')
        .update(readFileSync(`${name}.tgz`))
        .digest('hex'),
    );
    const urls = [`pkg:npm/flatline@${version}`, `pkg:npm/%40flatline/client@${version}`];
    const { GITHUB_REF: ref, GITHUB_SHA: gitCommit } = workflow;
    const repository = 'https://github.example/shop/flatline';
    for (const [index, statement] of statements.entries())
      expect(statement).toMatchObject({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: urls[index], digest: { sha512: hashes[index] } }],
        predicateType: 'https://slsa.dev/provenance/v1',
        predicate: {
          buildDefinition: {
            externalParameters: { workflow: { ref, repository, path: '.github/workflows/release.yml' } },
            resolvedDependencies: [{ uri: `git+${repository}@${ref}`, digest: { gitCommit } }],
          },
          runDetails: { builder: { id: 'https://github.com/actions/runner/github-hosted' } },
        },
      });
  });

  test.each([
    [['--dryrun'], '--dryrun'],
    [['--packed'], 'add --rehearse'],
    [['--rehearse', '--dry-run'], 'choose one'],
  ])('%j is refused before anything happens', (flags, reason) => {
    const { status, stdout, stderr } = release(...flags);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });
});

describe('the workflow of a release', () => {
  interface Workflow {
    readonly on: object;
    readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly steps: readonly Step[] }>>;
  }
  interface Step {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }
  const { on, jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as Workflow;
  const { permissions, steps } = jobs['publish']!;

  test('begins with a tag, and has the identity that npm signs with', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  test('installs as the gate does, on its Node, rehearses, and publishes', () => {
    const flags = /'ci', ('--ignore-scripts'.*'--no-fund')/.exec(
      readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8'),
    )![1]!;
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual([
      `npm ci ${flags.replaceAll(/[',]/g, '')}`,
      'npm run release -- --rehearse',
      'npm run release',
    ]);
    const [checkout, node] = steps.filter(({ uses }) => uses !== undefined);
    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 });
    expect(node?.with).toEqual({ 'node-version': Number(process.versions.node.split('.')[0]) });
  });

  test('takes what others wrote by its commit', () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  });
});
