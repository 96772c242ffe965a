// A third-party server on loopback, started for one turn and stopped by its own process.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { bindToExit } from '../exit-bound.ts';
import { ended } from './programs.ts';

const READY_WITHIN_MS: DurationMs = 60_000;
const LOOK_MS: DurationMs = 50;

interface ServerPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  /** Runs it as another user. */
  readonly uid?: number;
  readonly gid?: number;
  /** Signal that stops it cleanly. */
  readonly signal: NodeJS.Signals;
  readonly isReady: () => Promise<boolean>;
}

export interface LocalServer {
  readonly port: number;
  readonly pid: number;
  end(): Promise<void>;
}

/** @throws Error if it ends, or does not answer, instead of becoming ready. */
export async function startServer(plan: ServerPlan): Promise<LocalServer> {
  const { command, args, uid, gid, signal } = plan;
  const as = uid === undefined || gid === undefined ? {} : { uid, gid };
  const child = bindToExit(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...as }));
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => said.splice(0, said.length, said.join('').slice(-2_000), text));
  const end = ended(child);
  try {
    await Promise.race([
      ready(plan),
      end.then((how) => Promise.reject(new Error(`${command} ended with ${how}:\n${said.join('')}`))),
    ]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { port: plan.port, pid: pidOf(child), end: () => stop(child, signal, end) };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** True if connections are accepted there. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // not yet
  } finally {
    socket.destroy();
  }
}

async function ready({ command, isReady }: ServerPlan): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while (!(await isReady())) {
    if (performance.now() > giveUpAt) throw new Error(`${command} does not answer`);
    await delay(LOOK_MS);
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a process that runs has no id');
  return pid;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals, end: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await end;
}
