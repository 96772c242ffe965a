// The jars that a development broker or registry runs, one folder per pom and content of that pom.
//
// Owns: `.flatline/artifacts`.      Does not own: Maven's own local repository.
//
// Invariants
//   A1  A folder under its final name is complete: it is made beside and renamed.
//   A2  One Maven at a time per clone: a second process waits and then finds the folder.
//   A3  A folder that is there needs neither Maven nor a network.
import { Fatal } from '@flatline/base';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exclusive } from './exclusive.ts';
import { type Workspace } from './workspace.ts';

const downloadWaitMs = 10 * 60_000;
const errorLinesMax = 12;
const unfinishedEnding = '.unfinished';

export type ArtifactName = 'broker' | 'registry';

/** Jars are copied side by side; the registry comes as an archive with its own layout and is unpacked. */
const goals: Record<ArtifactName, string> = { broker: 'dependency:copy-dependencies', registry: 'dependency:unpack' };

export interface ArtifactRequest {
  readonly workspace: Workspace;
  /** Where Maven is looked for, and its settings. */
  readonly environment: NodeJS.ProcessEnv;
  /** Ends Maven when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly log: (line: string) => void;
}

/** The folder with the artifacts of `infra/<name>/pom.xml`; fetched with Maven unless it is there. Throws `Fatal`. */
export async function resolveArtifacts(name: ArtifactName, request: ArtifactRequest): Promise<string> {
  const { workspace, log } = request;
  const pom = join(workspace.infra, name, 'pom.xml');
  const stamp = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const cache = join(workspace.state, 'artifacts');
  const folder = join(cache, `${name}-${stamp}`);
  if (existsSync(folder)) return folder;
  const onWait = (owner: number): void => {
    log(`waiting for process ${owner}, which is fetching artifacts`);
  };
  await exclusive(join(cache, 'maven.lock'), { waitMs: downloadWaitMs, onWait }, async () => {
    if (existsSync(folder)) return;
    log(`fetching the artifacts of infra/${name}/pom.xml with Maven, once`);
    const startedAt = performance.now();
    await fetchInto(folder, { pom, goal: goals[name], environment: request.environment, signal: request.signal });
    log(`fetched in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  });
  return folder;
}

interface MavenRun {
  readonly pom: string;
  readonly goal: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

async function fetchInto(folder: string, run: MavenRun): Promise<void> {
  // A holder of the lock that was killed may have left its Maven running: a name of one's own, and its folder goes.
  for (const name of readdirSync(dirname(folder)))
    if (name.endsWith(unfinishedEnding)) rmSync(join(dirname(folder), name), { recursive: true, force: true });
  const unfinished = `${folder}.${process.pid}${unfinishedEnding}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await runMaven(run, `-DoutputDirectory=${unfinished}`);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function runMaven({ pom, goal, environment, signal }: MavenRun, setting: string): Promise<void> {
  const output: string[] = [];
  const child = spawn('mvn', ['-q', '-B', '-f', pom, goal, setting], {
    env: environment,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new Fatal(missingMaven(pom), error) : error);
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
      lines.slice(0, errorLinesMax).join('\n'),
  );
}

function missingMaven(pom: string): string {
  return (
    `Maven (mvn) is not on PATH and the artifacts of ${pom} are not cached yet. One of: install Maven 3.8 or newer, ` +
    `start Docker, or set KAFKA_BROKERS (and SCHEMA_REGISTRY_URL) to what runs already`
  );
}
