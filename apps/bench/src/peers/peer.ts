// Whether a peer can be run here, and if not, why.
import { cachedArtifacts, findJava, type MavenProject, resolveArtifacts, workspaceOf } from '@flatline/dev-broker';
import { Fatal } from '@flatline/base';
import { join } from 'node:path';
import type { BenchmarkOptions } from '../benchmark.ts';
import { JavaProgram } from './java-program.ts';

export const PEER_NAMES = ['kafka-streams', 'zookeeper'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export type PeerLookUp =
  { readonly kind: 'ready'; readonly program: JavaProgram } | { readonly kind: 'missing'; readonly why: string };

const MAIN = 'dev.flatline.bench.Main';
const GOALS = ['compile', 'dependency:copy-dependencies'];

/**
 * A peer that was not asked for is run where everything it needs is there already; one that was is fetched.
 * @throws Fatal where one that was asked for cannot be had.
 */
export async function lookUpPeer(
  name: PeerName,
  { peers, onProgress }: Pick<BenchmarkOptions, 'peers' | 'onProgress'>,
): Promise<PeerLookUp> {
  const isAsked = peers?.includes(name) === true;
  if (peers !== undefined && !isAsked) return { kind: 'missing', why: 'not among --peers' };
  const workspace = workspaceOf(import.meta.url);
  const project: MavenProject = {
    name: `peer-${name}`,
    folder: join(workspace.root, 'apps', 'bench', 'peers', name),
    goals: GOALS,
  };
  const java = await findJava(process.env).catch((error: unknown) => (error as Error).message);
  const found = cachedArtifacts(project, workspace);
  if (isAsked && typeof java !== 'object')
    throw new Fatal(`${name} needs Java 17 or newer to run as a peer: ${java ?? 'install it, or set JAVA_HOME'}`);
  if (typeof java !== 'object') return { kind: 'missing', why: java ?? 'no Java 17 or newer on PATH or in JAVA_HOME' };
  if (found === undefined && !isAsked)
    return { kind: 'missing', why: `not built yet; \`--peers ${name}\` fetches and compiles it with Maven` };
  const request = { workspace, environment: process.env, log: onProgress };
  return { kind: 'ready', program: new JavaProgram(java.command, await resolveArtifacts(project, request), MAIN) };
}
