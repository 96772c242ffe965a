// Decides from facts whether a version may be published, for `npm run release`.

export interface ReleaseFacts {
  /** The version in package.json. */
  readonly version: string;
  /** The last release's; undefined before the first. */
  readonly last: string | undefined;
  readonly changelog: string;
  /** True if docs/api has changed since the last release. */
  readonly apiChanged: boolean;
  /** Output of `git status --porcelain`. */
  readonly uncommitted: string;
  /** Tags of the commit. */
  readonly tags: readonly string[];
  /** The repository in package.json; a provenance statement needs it. */
  readonly repository: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reasons why it must not be published, each with its remedy; empty: none. */
export function releaseProblems(facts: ReleaseFacts): string[] {
  const { version, changelog, uncommitted, tags, repository } = facts;
  const problems = versionProblems(facts);
  if (!changelog.includes(`\n## [${version}]`))
    problems.push(`CHANGELOG.md has no section [${version}]: rename Unreleased`);
  if (uncommitted !== '') problems.push(`there are uncommitted changes: commit them\n${uncommitted}`);
  if (!tags.includes(`v${version}`)) problems.push(`the commit has no tag v${version}: git tag v${version}`);
  if (repository === undefined)
    problems.push('package.json names no repository, which a provenance statement must: add "repository"');
  problems.push(...sourceProblems(facts));
  if (!canAttest(facts.environment))
    problems.push('no identity for a provenance statement: publish from GitHub Actions (id-token: write) or GitLab CI');
  return problems;
}

function versionProblems({ version, last, apiChanged }: ReleaseFacts): string[] {
  const now = numbersOf(version);
  if (now === undefined) return [`version ${version} is no x.y.z: correct package.json`];
  const before = last === undefined ? undefined : numbersOf(last);
  if (before === undefined) return [];
  const [major, minor, patch] = now.map((number, at) => number - before[at]!) as [number, number, number];
  const isNewer = major > 0 || (major === 0 && (minor > 0 || (minor === 0 && patch > 0)));
  if (!isNewer) return [`version ${version} is not above ${last!}: raise it in package.json`];
  return apiChanged && major === 0 && minor === 0
    ? [`docs/api has changed since ${last!}: ${version} has to be a new minor version at least`]
    : [];
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);
}

/** A registry refuses a statement about another repository than the package's, but only once the upload has begun. */
function sourceProblems({ repository, environment }: ReleaseFacts): string[] {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, CI_PROJECT_URL: project } = environment;
  const here = name === undefined ? project : `${server ?? GITHUB}/${name}`;
  const named = repository === undefined ? undefined : addressOf(repository);
  if (here === undefined || named === undefined || here === named) return [];
  return [
    `package.json names the repository ${named}, and this is ${here}: publish from there, or correct "repository"`,
  ];
}

const GITHUB = 'https://github.com';

/** The address for a browser, from the forms in which git and npm write it. */
function addressOf(repository: string): string {
  const bare = repository.replace(/^git\+/, '').replace(/\.git$/, '');
  const short = /^github:(.*)$/.exec(bare);
  if (short !== null) return `${GITHUB}/${short[1]!}`;
  return bare.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/');
}

/** True in these CIs, whose identity npm can sign with. */
function canAttest(environment: ReleaseFacts['environment']): boolean {
  return environment['ACTIONS_ID_TOKEN_REQUEST_URL'] !== undefined || environment['SIGSTORE_ID_TOKEN'] !== undefined;
}
