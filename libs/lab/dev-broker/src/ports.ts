import { Fatal, Misconfigured } from '@flatline/base';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** The message names the port, if it is known, and what to do. */
export class PortInUse extends Misconfigured {
  constructor(port: number | undefined, remedy: string, cause?: unknown) {
    super(`${port === undefined ? 'a port' : `port ${port}`} on ${LOOPBACK} is in use: ${remedy}`, cause);
  }
}

/** Distinct ports that were free a moment ago. Another process may still take one: be ready to try again. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

/** Throws `PortInUse` if something listens on it. */
export async function assertPortFree(port: number, remedy: string): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new PortInUse(port, remedy, error);
    if (code === 'EACCES') throw new Misconfigured(`port ${port} needs privileges: choose one above 1023`, error);
    throw error;
  }
}

/** At this moment. Another process may take it at any time. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await close(await listen(port));
    return true;
  } catch {
    return false; // in use, or not ours to use
  }
}

type Server = ReturnType<typeof createServer>;

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Fatal('a TCP server has no port');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
