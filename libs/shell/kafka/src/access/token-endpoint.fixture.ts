// A token endpoint on loopback that answers as a test says, and tells what it was asked.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface TokenEndpoint {
  readonly url: string;
  readonly asked: readonly Asked[];
  answer: (response: ServerResponse, nth: number) => void;
  /** Resolves when a client has left before its answer. */
  readonly hungUp: Promise<void>;
  /** Resolves when it has been asked so often. */
  askedTimes(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function openTokenEndpoint(): Promise<TokenEndpoint> {
  const asked: Asked[] = [];
  const waiting = new Set<() => void>();
  const left = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) left.resolve(undefined);
    });
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, body: Buffer.concat(parts).toString('utf8') });
      endpoint.answer(response, asked.length);
      for (const look of waiting) look();
    });
  });
  const endpoint: TokenEndpoint = {
    url: await new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/token?tenant=7`);
      });
    }),
    asked,
    answer: giving('token', 300),
    hungUp: left.promise,
    askedTimes: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (asked.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
  return endpoint;
}

export function giving(name: string, seconds: unknown): TokenEndpoint['answer'] {
  return (response, nth) =>
    response.end(JSON.stringify({ access_token: `${name}-${nth}`, token_type: 'Bearer', expires_in: seconds }));
}

export function saying(status: number, text: string, headers = {}): TokenEndpoint['answer'] {
  return (response) => response.writeHead(status, headers).end(text);
}
