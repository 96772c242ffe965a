// Peers that keep leases: sessions of ZooKeeper's server, leases of etcd.
import type { DurationMs } from '@flatline/base';
import { join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import type { StepCost } from '../tasks/due-task.ts';
import { LINUX_ONLY, lookUpGoPeer } from './go-peer.ts';
import type { JvmSettings } from './java-program.ts';
import { accepts, freePort, startServer } from './local-server.ts';
import { type Found, lookUpPeer } from './peer.ts';
import { runProgram, runTool, versionSaid } from './programs.ts';

export const LEASE_PEER_NAMES = ['zookeeper', 'etcd'] as const;

export interface LeasesTask {
  /** Leases alive while they are touched, and touches of them, after the unmeasured ones. */
  readonly leases: number;
  readonly touches: number;
  readonly warmUpTouches: number;
  /** Others, due within a second; the first this long after the touches, which leaves time to make them. */
  readonly expiring: number;
  readonly expireAfterMs: DurationMs;
  readonly drainMaxMs: DurationMs;
}

export interface LeasesCost {
  readonly touched: StepCost;
  readonly expired: StepCost;
  readonly ended: number;
  readonly twice: number;
  /** From the instant when the first was due until the end of the last was known. */
  readonly drainMs: DurationMs;
}

export interface LeasePeer {
  readonly name: (typeof LEASE_PEER_NAMES)[number];
  readonly does: string;
  readonly versions: readonly string[];
  /** Approximate time to make one of those that are due together. */
  readonly makeMs: DurationMs;
  /** Its capacity for leases, all together. */
  readonly leasesMax: number;
  /** @param stateDir data directory of the server */
  keep(task: LeasesTask, stateDir: string): Promise<LeasesCost>;
}

const SERVER_JVM: JvmSettings = { heapMb: 2_048, collector: 'Parallel' };
const CLIENT_JVM: JvmSettings = { heapMb: 512, collector: 'Parallel' };
/** Other files that a server has open: jars, logs. */
const OTHER_FILES_MAX = 1_000;

export function lookUpLeasePeer(name: LeasePeer['name'], options: PeersAsked): Promise<Found<LeasePeer>> {
  return name === 'etcd' ? lookUpEtcd(options) : lookUpZooKeeper(options);
}

async function lookUpZooKeeper(options: PeersAsked): Promise<Found<LeasePeer>> {
  const found = await lookUpPeer('zookeeper', options);
  if (found.kind === 'missing') return found;
  if (process.platform !== 'linux') return { kind: 'missing', why: LINUX_ONLY };
  const { program } = found;
  const leasesMax = (await openFilesMax()) - OTHER_FILES_MAX;
  const peer: LeasePeer = {
    name: 'zookeeper',
    does:
      'one server, log synced; a session, without nodes, is a connection, of which the system allows a process ' +
      `${leasesMax}; 5 000 pings without an answer at most; tick 1 s, so that ends come up to a second later`,
    versions: [`ZooKeeper ${program.versionOf('zookeeper')}`, `Java ${await program.javaVersion()}`],
    makeMs: 1,
    leasesMax,
    keep: async (task, stateDir) => {
      const server = await program.start({ job: 'server', folder: stateDir }, SERVER_JVM);
      try {
        const { port } = server.first as { readonly port: number };
        const given = { ...task, job: 'leases', port, serverPid: server.pid! };
        return await program.run<LeasesCost>(given, CLIENT_JVM);
      } finally {
        await server.end();
      }
    },
  };
  return { kind: 'ready', program: peer };
}

/** Maximum connections and files that a process may have open here. */
async function openFilesMax(): Promise<number> {
  const said = await runTool('sh', ['-c', 'ulimit -Hn'], { remedy: 'it needs a shell' });
  return said.trim() === 'unlimited' ? Infinity : Number(said);
}

function lookUpEtcd(options: PeersAsked): Promise<Found<LeasePeer>> {
  return lookUpGoPeer('etcd', options, {
    server: 'go.etcd.io/etcd/server/v3',
    open: async (folder) => ({
      name: 'etcd',
      does:
        'one member, log synced (renewals are not in it); 8 streams over 4 connections, 1 000 renewals without an answer at most ' +
        'on each; what expires has a key, whose removal a watch of the prefix tells',
      versions: [`etcd ${await versionSaid(join(folder, 'server'), ['--version'], /etcd Version: ([\d.]+)/)}`],
      makeMs: 0.4,
      leasesMax: Infinity,
      keep: async (task, stateDir) => {
        const server = await startEtcd(join(folder, 'server'), stateDir);
        try {
          const given = JSON.stringify({ ...task, port: server.port, serverPid: server.pid });
          return await runProgram<LeasesCost>(join(folder, 'client'), [given]);
        } finally {
          await server.end();
        }
      },
    }),
  });
}

async function startEtcd(command: string, folder: string): ReturnType<typeof startServer> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const settings = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'log-level': 'error',
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return startServer({ command, args, port, signal: 'SIGTERM', isReady: () => accepts(port) });
}
