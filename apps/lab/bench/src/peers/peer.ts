// Decides whether a peer can run here, and if not, why.
import { Fatal } from '@flatline/base';
import {
  type BuiltProject,
  cachedArtifacts,
  findJava,
  type MavenProject,
  resolveArtifacts,
  type Workspace,
  workspaceOf,
} from '@flatline/dev-broker';
import { join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import { JavaProgram } from './java-program.ts';
import type { PeerName } from './peer-names.ts';

export type Found<Program> =
  { readonly kind: 'ready'; readonly program: Program } | { readonly kind: 'missing'; readonly why: string };

/** The needs of a peer, beside a workspace. */
export interface PeerNeeds<Program> {
  /** Describes what this machine lacks, with the remedy; undefined: nothing. */
  lacks(): Promise<string | undefined>;
  project(workspace: Workspace): MavenProject | BuiltProject;
  /** Opens the program in the folder that the project was built into. */
  open(folder: string): Promise<Program>;
}

const MAIN = 'dev.flatline.bench.Main';
const GOALS = ['compile', 'dependency:copy-dependencies'];
const NO_JAVA = 'no Java 17 or newer: install it, or set JAVA_HOME';

export function lookUpPeer(name: 'kafka-streams' | 'zookeeper', options: PeersAsked): Promise<Found<JavaProgram>> {
  const java = findJava(process.env).catch((error: unknown) => (error as Error).message);
  return lookUp(name, options, {
    lacks: async () => {
      const found = await java;
      return typeof found === 'object' ? undefined : (found ?? NO_JAVA);
    },
    project: ({ root }) => ({
      name: `peer-${name}`,
      folder: join(root, 'apps', 'lab', 'bench', 'peers', name),
      goals: GOALS,
    }),
    open: async (folder) => {
      const found = await java;
      if (typeof found !== 'object') throw new Fatal(found ?? NO_JAVA);
      return new JavaProgram(found.command, folder, MAIN);
    },
  });
}

/** A peer that was not asked for runs if everything it needs is there already; one that was asked for is built. */
export async function lookUp<Program>(
  name: PeerName,
  { peers, onProgress }: PeersAsked,
  needs: PeerNeeds<Program>,
): Promise<Found<Program>> {
  const isAsked = peers?.includes(name) === true;
  if (peers !== undefined && !isAsked) return { kind: 'missing', why: 'not among --peers' };
  const missing = (why: string): Found<Program> => {
    if (isAsked) onProgress(`${name} does not take part: ${why}`);
    return { kind: 'missing', why };
  };
  const lack = await needs.lacks();
  if (lack !== undefined) return missing(lack);
  const workspace = workspaceOf(import.meta.url);
  const project = needs.project(workspace);
  if (!isAsked && cachedArtifacts(project, workspace) === undefined)
    return missing(`not built yet; \`--peers ${name}\` does that`);
  try {
    const folder = await resolveArtifacts(project, { workspace, environment: process.env, log: onProgress });
    return { kind: 'ready', program: await needs.open(folder) };
  } catch (error) {
    // A peer that is unavailable here does not keep the others from being measured.
    if (error instanceof Fatal) return missing(error.message);
    throw error;
  }
}
