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
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exclusive } from './exclusive.ts';
import { type Workspace } from './workspace.ts';

const downloadWaitMs = 10 * 60_000;
const errorLinesMax = 12;

export type ArtifactName = 'broker' | 'registry';

/** Jars are copied side by side; the registry comes as an archive with its own layout and is unpacked. */
const goals: Record<ArtifactName, string> = { broker: 'dependency:copy-dependencies', registry: 'dependency:unpack' };

/** The folder with the artifacts of `infra/<name>/pom.xml`; fetched with Maven unless it is there. Throws `Fatal`. */
export async function resolveArtifacts(
  workspace: Workspace,
  name: ArtifactName,
  log: (line: string) => void,
): Promise<string> {
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
    const unfinished = `${folder}.${process.pid}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    log(`fetching the artifacts of infra/${name}/pom.xml with Maven, once`);
    const startedAt = performance.now();
    try {
      await runMaven(pom, [goals[name], `-DoutputDirectory=${unfinished}`]);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    log(`fetched in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  });
  return folder;
}

async function runMaven(pom: string, args: readonly string[]): Promise<void> {
  const output: string[] = [];
  const windows = process.platform === 'win32';
  const child = spawn(windows ? 'mvn.cmd' : 'mvn', ['-q', '-B', '-f', pom, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
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
