import { messageOf, Misconfigured } from '@flatline/base';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Takes the address and gives it back. @throws Misconfigured where it cannot be bound */
export async function requireFree({ host, port }: Address): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw unbound({ host, port }, error);
  }
  server.close();
  await once(server, 'close');
}

const WRONG_HOST: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

export function unbound({ host, port }: Address, error: unknown): Misconfigured {
  const why = messageOf(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return new Misconfigured(
    WRONG_HOST.includes(code)
      ? `ingest.host ${host} is no address of this machine (${why}); correct it: 127.0.0.1, or 0.0.0.0 for all`
      : `ingest.port ${port} on ingest.host ${host} cannot be bound (${why}); end the process that has it, or choose another, or 0 for any free one`,
    error,
  );
}
