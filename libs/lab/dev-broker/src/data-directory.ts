import { messageOf, Misconfigured } from '@flatline/base';
import { makeDirectory } from '@flatline/system';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type BrokerOptions } from './running-broker.ts';
import { type Workspace } from './workspace.ts';
import { isSecured } from './secured/secured-files.ts';
import { LOG4J_PROPERTIES, type NodePlan, serverProperties, type ServerProperties } from './node-settings.ts';

/** Prefix of the temporary data directories of ephemeral brokers. */
export const ephemeralPrefix: string = join(tmpdir(), 'flatline-broker-');

export function defaultDataDir(workspace: Workspace): string {
  return join(workspace.state, 'broker');
}

/** @throws Misconfigured if it cannot be made */
export function makeDataDir(dataDir: string): void {
  try {
    makeDirectory(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const why = messageOf(error);
    throw new Misconfigured(
      `data directory ${dataDir}: ${why}; name one that can be made and written to (--data)`,
      error,
    );
  }
}

/** Runs `start` with the data directory that the options name, creating it if needed. A temporary one is removed if that fails. */
export async function inDataDir<T>(
  workspace: Workspace,
  options: BrokerOptions,
  start: (dataDir: string) => Promise<T>,
): Promise<T> {
  const temporary = options.ephemeral === true;
  const dataDir = temporary ? mkdtempSync(ephemeralPrefix) : resolve(options.dataDir ?? defaultDataDir(workspace));
  makeDataDir(dataDir);
  try {
    return await start(dataDir);
  } catch (error) {
    if (temporary) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Node folders in a data directory; 0 if it is new. */
function nodesIn(dataDir: string): number {
  if (!existsSync(dataDir)) return 0;
  return readdirSync(dataDir).filter((name) => /^node-\d$/.test(name)).length;
}

/** Throws `Misconfigured` if the directory holds a cluster of another size: its quorum is fixed when it is made. */
export function nodeCountFor(dataDir: string, wanted: 1 | 3 | undefined): 1 | 3 {
  const found = nodesIn(dataDir);
  if (found === 0) return wanted ?? 1;
  if ((found === 1 || found === 3) && (wanted === undefined || wanted === found)) return found;
  throw new Misconfigured(
    `${dataDir} holds a cluster of ${found} node(s), ${wanted ?? '1 or 3'} wanted: choose another data directory`,
  );
}

/** True if the cluster is secured. Throws `Misconfigured` if it was made without: its users are in its first records. */
export function securedAsMade(dataDir: string, wanted: boolean | undefined): boolean {
  if (nodesIn(dataDir) === 0) return wanted === true;
  const found = isSecured(dataDir);
  if (wanted === undefined || wanted === found) return found;
  const made = found ? 'with' : 'without';
  throw new Misconfigured(`${dataDir} holds a cluster that was made ${made} --secure: choose another data directory`);
}

/** Writes the settings of every node, and formats nodes without data as parts of one new cluster. */
export function writeNodes(nodes: readonly NodePlan[], bootstrapRecords: string, overrides?: ServerProperties): void {
  const clusterId = clusterIdOf(nodes) ?? newClusterId();
  for (const node of nodes) {
    const storage = join(node.folder, 'data');
    mkdirSync(storage, { recursive: true });
    writeFileSync(join(node.folder, 'server.properties'), serverProperties(node, nodes, overrides));
    writeFileSync(join(node.folder, 'log4j2.properties'), LOG4J_PROPERTIES);
    const identity = join(storage, 'meta.properties');
    if (existsSync(identity)) continue;
    copyFileSync(bootstrapRecords, join(storage, 'bootstrap.checkpoint'));
    // Last, because Kafka takes a directory with this file for a formatted one.
    writeFileSync(identity, `version=1\ncluster.id=${clusterId}\nnode.id=${node.id}\n`);
  }
}

/**
 * The file of bootstrap records that formatting makes: the feature levels of this version of Kafka, the same for every
 * cluster, and SCRAM's `users`, as the tool's arguments. Made once in `folder` by Kafka's own tool and copied from then on:
 * the tool takes half a second of a two-second start.
 */
export async function bootstrapRecordsOf(
  { folder: keptIn, java, classPath }: { readonly folder: string; readonly java: string; readonly classPath: string },
  users: readonly string[] = [],
): Promise<string> {
  const kept = join(keptIn, 'bootstrap.checkpoint');
  if (existsSync(kept)) return kept;
  const folder = mkdtempSync(join(keptIn, 'format-'));
  try {
    const node: NodePlan = { id: 1, port: 9092, controllerPort: 9093, folder };
    const settings = join(folder, 'server.properties');
    writeFileSync(settings, serverProperties(node, [node]));
    const tool = [
      '-cp',
      classPath,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      newClusterId(),
      '-c',
      settings,
      ...users,
    ];
    await promisify(execFile)(java, tool, { cwd: folder });
    renameSync(join(folder, 'data', 'bootstrap.checkpoint'), kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return kept;
}

function clusterIdOf(nodes: readonly NodePlan[]): string | undefined {
  for (const { folder } of nodes) {
    const identity = join(folder, 'data', 'meta.properties');
    if (!existsSync(identity)) continue;
    const match = /^cluster\.id=(.+)$/m.exec(readFileSync(identity, 'utf8'));
    if (match !== null) return match[1];
  }
  return undefined;
}

/** 16 random bytes as Kafka writes them. It reads an argument that begins with a dash as an option. */
function newClusterId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
