// A server behind the guard, with routes of each role that note who has them run.
import { systemClock } from '@flatline/system';
import { afterEach } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { addGuard, type Admitting, callerOf, type GuardOptions } from './access/guard.ts';
import { promptClose } from './serving/prompt-close.ts';
import { type Certificate, serverOptions } from './serving/server-options.ts';

export interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Guarded {
  readonly server: FastifyInstance;
  readonly address: string;
  readonly port: number;
  /** Requests that a route was run for: role and caller. */
  readonly run: string[];
  readonly log: Line[];
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const ROLES = { 'GET /probe': 'open', 'GET /look': 'read', 'POST /look': 'read', 'POST /act/:key': 'admin' } as const;

/** Until the test has ended. */
export async function guarded(
  admitting: Admitting | undefined,
  changes: Partial<GuardOptions> = {},
  certificate?: Certificate,
): Promise<Guarded> {
  const run: string[] = [];
  const log: Line[] = [];
  const server = Fastify(serverOptions(certificate));
  open.push(promptClose(server, { clock: systemClock, hasSockets: false }));
  addGuard(server, {
    roles: ROLES,
    admitting,
    hosts: [],
    perSecondMax: 1_000,
    connectionsMax: 1_000,
    clock: systemClock,
    log: {
      info: (message, facts) => log.push({ level: 'info', message, facts }),
      warn: (message, facts) => log.push({ level: 'warn', message, facts }),
    },
    ...changes,
  });
  server.get('/probe', () => ({ ready: false, reasons: ['visits/0 is restoring'], count: 7 }));
  server.get('/look', (request) => note(run, 'read', callerOf(request)?.name));
  server.post('/look', (request) => note(run, 'read', callerOf(request)?.name));
  server.post('/act/:key', (request, reply) => {
    note(run, 'admin', callerOf(request)?.name);
    return reply.code(202).send({ outcome: 'done' });
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, address, port: Number(new URL(address).port), run, log };
}

function note(run: string[], role: string, name: string | undefined): { readonly ok: true } {
  run.push(`${role} ${name}`);
  return { ok: true };
}

/** Returns the bytes that come on a connection that sends `text`, until the server closes it; `ends`: it says that no more comes. */
export async function sent(port: number, text: string, ends = true): Promise<string> {
  const socket = await connected(port);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  const closed = closeOf(socket);
  socket.write(text, 'latin1');
  if (ends) socket.end();
  await closed;
  return Buffer.concat(parts).toString('latin1');
}

/** Also where it is cut off. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
