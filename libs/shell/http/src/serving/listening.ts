// How a server listens: with room for clients that all come at once.
//
// Node asks the system for 511 connections that wait until they are taken. Behind those Linux leaves a client's last word of the
// handshake unanswered, and both sides try again in intervals that double: of ten thousand subscribers who come back within a second
// (Q3), some would hear for minutes nothing at all, not even when to come again.
import type { FastifyInstance } from 'fastify';

/** Connections that wait until they are taken, a few hundred bytes of the system each. It grants no more than `net.core.somaxconn`. */
const WAITING_CONNECTIONS_MAX = 16_384;

/** @returns the server's address, as a URL @throws Error of the system where the address cannot be bound */
export function listening(
  server: Pick<FastifyInstance, 'listen'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  return server.listen({ host, port, backlog: WAITING_CONNECTIONS_MAX });
}
