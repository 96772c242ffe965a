// Sockets for undici, to addresses that were checked: its own connector asks the resolver again, and of literal addresses never.
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { isIP } from 'node:net';
import { addressesOf, checkConnected, type Host } from './guard.ts';
import type { Allowed } from './allowed.ts';
import type { Resolve } from './resolver.ts';

export interface ConnectorParts {
  readonly allowed: Allowed;
  readonly resolve: Resolve;
  /** For connecting, shared by the addresses, and again for the handshake. */
  readonly timeoutMs: number;
  /** Certificates to trust beside the usual ones; for tests. */
  readonly ca?: string | undefined;
  /** Default: TCP. */
  readonly dial?: Dial | undefined;
}

/** A socket that connects to an address. */
export type Dial = (address: string, port: number) => Socket;

export function guardedConnector(parts: ConnectorParts): buildConnector.connector {
  return (options, callback) => {
    const { hostname, protocol, servername } = options;
    const isTls = protocol === 'https:';
    const port = Number(options.port) || (isTls ? 443 : 80);
    open({ hostname, port }, parts)
      .then((socket) => (isTls ? secured(socket, servername ?? hostname, parts) : socket))
      .then(
        (socket) => {
          callback(null, socket);
        },
        (error: unknown) => {
          callback(error instanceof Error ? error : new Error(String(error)), null);
        },
      );
  };
}

/** Tries one address after the other, since a host may be down at the first. */
async function open(host: Host, parts: ConnectorParts): Promise<Socket> {
  const addresses = await addressesOf(host, parts.allowed, parts.resolve);
  // One that swallows packets leaves time for the next.
  const eachMs = Math.ceil(parts.timeoutMs / addresses.length);
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await opened(address, host, { ...parts, timeoutMs: eachMs });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function dialTcp(address: string, port: number): Socket {
  return connectTcp({ host: address, port, noDelay: true });
}

function opened(address: string, host: Host, { allowed, timeoutMs, dial = dialTcp }: ConnectorParts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial(address, host.port);
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(timeoutMs, () => {
      fail(new Error(`${address}:${host.port} does not answer`));
    });
    socket.once('error', fail);
    socket.once('connect', () => {
      try {
        // Before the first byte: what stands in between may have brought it elsewhere.
        checkConnected(socket.remoteAddress, address, host, allowed);
      } catch (error) {
        fail(error as Error);
        return;
      }
      socket.off('error', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

function secured(socket: Socket, name: string, { timeoutMs, ca }: ConnectorParts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // A literal address is no servername (RFC 6066); the certificate must name it all the same.
    const servername = isIP(name) === 0 ? name : '';
    const secure = connectTls({
      socket,
      servername,
      host: name,
      ALPNProtocols: ['http/1.1'],
      ...(ca !== undefined && { ca }),
    });
    const fail = (error: Error): void => {
      secure.destroy();
      reject(error);
    };
    secure.setTimeout(timeoutMs, () => {
      fail(new Error(`${name}: the TLS handshake takes too long`));
    });
    secure.once('error', fail);
    secure.once('secureConnect', () => {
      secure.off('error', fail);
      secure.setTimeout(0);
      resolve(secure);
    });
  });
}
