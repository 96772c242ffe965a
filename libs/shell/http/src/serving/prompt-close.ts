// The end of a server: whoever waits for an answer gets it, and clients that have stopped sending do not hold it up.
//
// Fastify leaves Node's requestTimeout at 0: a request whose body never comes, as of a phone that lost its network, would keep
// the server, and with it the process, from ending.
import type { Clock, DurationMs } from '@flatline/base';
import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { RawSockets } from './raw-sockets.ts';

/** A request that has not come whole by then is cut off at a stop. */
const CUT_AFTER_MS: DurationMs = 1_000;
/** At all other times: a request has to come within so long, and is answered with 408 otherwise. */
export const REQUEST_WITHIN_MS: DurationMs = 30_000;

export interface PromptCloseOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** True if the server takes WebSockets. */
  readonly hasSockets: boolean;
}

/** Property of a socket: the answer to the last request that has come whole on it. A WeakMap costs several times as much. */
const ANSWER = Symbol('answer');

type Answering = Duplex & { [ANSWER]?: ServerResponse };

/** True while a request may be on its way, and none that has come waits for its answer. */
function isSending(socket: Answering): boolean {
  return socket[ANSWER]?.writableFinished ?? true;
}

/** Call it before the server listens. @returns a function that closes the server. */
export function promptClose(server: FastifyInstance, { clock, hasSockets }: PromptCloseOptions): () => Promise<void> {
  const open = new Set<Answering>();
  const raw = new RawSockets(server.server);
  server.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // A WebSocket has a closing frame of its own. Without a listener Node answers in HTTP/1.1 whatever else is offered; with one it
  // hands the socket over, and no answer would come on it.
  if (hasSockets) server.server.on('upgrade', (_request, socket) => open.delete(raw.below(socket)));
  // The body is there. Noted at the socket, and looked at in the end: a hook of each answer costs a tenth of a request.
  server.addHook('preValidation', (request, reply, done) => {
    const socket: Answering = request.raw.socket;
    socket[ANSWER] = reply.raw;
    done();
  });
  return async () => {
    const cancel = clock.after(CUT_AFTER_MS, () => {
      for (const socket of open) if (isSending(raw.above(socket))) socket.destroy();
    });
    await server.close();
    cancel();
  };
}
