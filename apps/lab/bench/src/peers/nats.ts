// Messages that wait in a stream of NATS, each with a schedule of its own.
import { join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import type { DueCost, DueTask } from '../tasks/due-task.ts';
import { lookUpGoPeer } from './go-peer.ts';
import { accepts, freePort, type LocalServer, startServer } from './local-server.ts';
import type { Found } from './peer.ts';
import { runProgram, versionSaid } from './programs.ts';

export interface NatsPeer {
  readonly versions: readonly string[];
  /** The cost of messages that wait in it. */
  delays(task: DueTask): Promise<DueCost>;
}

export function lookUpNats(options: PeersAsked): Promise<Found<NatsPeer>> {
  return lookUpGoPeer('nats', options, {
    server: 'github.com/nats-io/nats-server/v2',
    open: async (folder) => {
      const command = join(folder, 'server');
      return {
        versions: [`NATS ${await versionSaid(command, ['--version'], /v([\d.]+)/)}`],
        delays: async ({ stateDir, ...task }) => {
          const server = await startNats(command, stateDir);
          try {
            const given = JSON.stringify({ ...task, port: server.port, serverPid: server.pid });
            return await runProgram<DueCost>(join(folder, 'client'), [given]);
          } finally {
            await server.end();
          }
        },
      };
    },
  });
}

/** A stream's files are synced every two minutes by default. */
async function startNats(command: string, folder: string): Promise<LocalServer> {
  const port = await freePort();
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', join(folder, 'nats')];
  return startServer({ command, args, port, signal: 'SIGTERM', isReady: () => accepts(port) });
}
