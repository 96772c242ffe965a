// Things fetched or built once, one folder per project and version of its content: the jars of a development broker or registry,
// and programs that benchmarks run.
//
// Owns: the workspace's folder of artifacts.
// Does not own: Maven's own local repository.
//
// Invariants
//   AF1  A folder under its final name is complete: it is made beside and renamed.
//   AF2  One is built at a time per folder of artifacts: a second process waits and then finds its own.
//   AF3  A folder that exists needs neither a tool nor a network.
//   AF4  If the number to keep is given, making one removes the oldest of the same project beyond it that no process runs.
import { Fatal } from '@flatline/base';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isInUse } from './artifact-users.ts';
import { exclusive } from './exclusive.ts';
import { FetchProgress } from './fetch-progress.ts';
import { type Workspace } from './workspace.ts';

const DOWNLOAD_WAIT_MS = 10 * 60_000;
const ERROR_LINES_MAX = 12;
const UNFINISHED_ENDING = '.unfinished';

/** A folder with a pom.xml, and sources if there is something to compile. */
export interface MavenProject {
  readonly name: string;
  readonly folder: string;
  /** Run with `-DoutputDirectory`, the folder to fill. */
  readonly goals: readonly string[];
  /** Content and size of the download, for users who wait for it. */
  readonly what?: string;
  /** An alternative to propose if there is no Maven. */
  readonly otherwise?: string;
}

/** A folder of sources built by something other than Maven. */
export interface BuiltProject {
  readonly name: string;
  readonly folder: string;
  /** Human-readable name of the tool that builds it. */
  readonly tool: string;
  /** Fills an empty folder, which is renamed afterwards. Throws `Fatal`. */
  readonly build: (into: string) => Promise<void>;
}

/** Jars are copied side by side; the registry comes as an archive with its own layout and is unpacked. */
export function infraProject(name: 'broker' | 'registry', { infra }: Workspace): MavenProject {
  const goals = [name === 'broker' ? 'dependency:copy-dependencies' : 'dependency:unpack'];
  const what = name === 'broker' ? 'Apache Kafka (45 MB)' : 'a schema registry (115 MB)';
  const otherwise = 'start Docker, or set KAFKA_BROKERS (and SCHEMA_REGISTRY_URL) to what runs already';
  return { name, folder: join(infra, name), goals, what, otherwise };
}

export interface ArtifactRequest {
  readonly workspace: Workspace;
  /** In which Maven and its settings are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends Maven when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly log: (line: string) => void;
}

/** The folder with the artifacts of a project's present content; undefined: not made yet. */
export function cachedArtifacts(project: MavenProject | BuiltProject, workspace: Workspace): string | undefined {
  const folder = folderOf(project, workspace);
  return existsSync(folder) ? folder : undefined;
}

/** The folder with the artifacts of a project; made with Maven, or as the project says, unless it exists. Throws `Fatal`. */
export async function resolveArtifacts(
  project: MavenProject | BuiltProject,
  request: ArtifactRequest,
): Promise<string> {
  const { workspace, log } = request;
  const folder = folderOf(project, workspace);
  if (existsSync(folder)) return folder;
  const onWait = (owner: number): void => {
    log(`waiting for process ${owner}, which is fetching artifacts`);
  };
  await exclusive(join(dirname(folder), 'maven.lock'), { waitMs: DOWNLOAD_WAIT_MS, onWait }, async () => {
    if (existsSync(folder)) return;
    const { what, build } = buildOf(project, request);
    log(`fetching ${what}, once, into ${folder}`);
    const startedAt = performance.now();
    await buildInto(folder, build);
    removeOldest(project, workspace);
    log(`fetched in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  });
  return folder;
}

/** AF4. */
function removeOldest(
  { name }: MavenProject | BuiltProject,
  { artifacts, artifactsKeptMax = Infinity }: Workspace,
): void {
  const versions = readdirSync(artifacts).filter(
    (each) => /^-[0-9a-f]{12}$/.test(each.slice(name.length)) && each.startsWith(name),
  );
  const madeAt = (version: string): number => statSync(join(artifacts, version)).mtimeMs;
  const newestFirst = versions.toSorted((a, b) => madeAt(b) - madeAt(a));
  for (const version of newestFirst.slice(artifactsKeptMax))
    if (!isInUse(join(artifacts, version))) rmSync(join(artifacts, version), { recursive: true, force: true });
}

function folderOf(project: MavenProject | BuiltProject, { artifacts }: Workspace): string {
  const stamp = createHash('sha256');
  if ('goals' in project) stamp.update(readFileSync(join(project.folder, 'pom.xml')));
  for (const file of sourcesOf(project)) stamp.update(file).update(readFileSync(join(project.folder, file)));
  return join(artifacts, `${project.name}-${stamp.digest('hex').slice(0, 12)}`);
}

/** Everything beside the pom, in an order that is the same everywhere. */
function sourcesOf({ folder }: MavenProject | BuiltProject): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = found.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return files.filter((file) => file !== 'pom.xml').sort();
}

interface Build {
  /** Names the artifact and the tool that builds it. */
  readonly what: string;
  readonly build: BuiltProject['build'];
}

function buildOf(project: MavenProject | BuiltProject, { workspace, ...request }: ArtifactRequest): Build {
  const inWorkspace = (path: string): string => relative(workspace.root, path);
  if ('build' in project) return { what: `${inWorkspace(project.folder)} with ${project.tool}`, build: project.build };
  const run = { project, ...request };
  return {
    what: `${project.what ?? 'artifacts'} of ${inWorkspace(join(project.folder, 'pom.xml'))} with Maven`,
    build: (into) => runMaven(run, `-DoutputDirectory=${into}`),
  };
}

interface MavenRun extends Omit<ArtifactRequest, 'workspace'> {
  readonly project: MavenProject;
}

async function buildInto(folder: string, build: Build['build']): Promise<void> {
  // A killed owner of the lock may have left its tool running: so the name is unique, and its folder is removed.
  for (const name of readdirSync(dirname(folder)))
    if (name.endsWith(UNFINISHED_ENDING)) rmSync(join(dirname(folder), name), { recursive: true, force: true });
  const unfinished = `${folder}.${process.pid}${UNFINISHED_ENDING}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await build(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function runMaven({ project, environment, signal, log }: MavenRun, setting: string): Promise<void> {
  const output: string[] = [];
  const progress = new FetchProgress(log);
  const pom = join(project.folder, 'pom.xml');
  const child = spawn('mvn', ['-B', '-f', pom, ...project.goals, setting], {
    env: environment,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.push(text);
      progress.heard(text);
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new Fatal(missingMaven(project), error) : error);
    });
    child.on('close', resolve);
  });
  if (code === 0) return;
  const lines = output
    .join('')
    .split('\n')
    .filter((line) => line.includes('ERROR'));
  throw new Fatal(
    `Maven could not fetch what ${pom} names (exit ${code ?? 'by signal'}): check the network, or the mirror in ~/.m2/settings.xml\n` +
      lines.slice(0, ERROR_LINES_MAX).join('\n'),
  );
}

function missingMaven({ folder, otherwise }: MavenProject): string {
  const remedy = ['install Maven 3.8 or newer', ...(otherwise === undefined ? [] : [otherwise])].join(', or ');
  return `Maven (mvn) is not on PATH and the artifacts of ${join(folder, 'pom.xml')} are not cached yet: ${remedy}`;
}
