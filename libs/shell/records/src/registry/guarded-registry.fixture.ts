import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/** For 127.0.0.1, self-signed, valid from 2020 to 2120; for tests alone. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBZDCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1mbGF0bGlu
ZSB0ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1mbGF0bGluZSB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3aXq
p8vbG5SQtz7Z6N6hcdcgES1fNZ5ss0LjlKKtqCewkUEipWsrwc2TdF+jLW+RtG2D
5steJk4FomWEC1UfV6NDMEEwDwYDVR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTAD
AQH/MB0GA1UdDgQWBBQBgXYORRiS2jMVw+y7Nnj37YCw9zAKBggqhkjOPQQDAgNI
ADBFAiB2c2Nbio1lYMeypagrgEKiYRNOA51doItC3UrAIORH1gIhANZCgSa4O7Io
KPfaA9uAJDEjzKafqTicrSOjFjzpzpTc
-----END CERTIFICATE-----
`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPDflIPuEis97S38J
t9DmEwfkH6lb9Ou10xffyG57kWuhRANCAATdpeqny9sblJC3Ptno3qFx1yARLV81
nmyzQuOUoq2oJ7CRQSKlayvBzZN0X6Mtb5G0bYPmy14mTgWiZYQLVR9X
-----END PRIVATE KEY-----
`;

/** A way to the registry at `target` over TLS, for those who know the password. */
export class GuardedRegistry {
  readonly url: string;
  readonly #server: Server;

  static async open(target: string, credentials: string): Promise<GuardedRegistry> {
    const wanted = `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
    const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      const { method = '', url = '', headers } = request;
      if (headers.authorization !== wanted) {
        response.writeHead(401).end('{"error_code":401,"message":"Unauthorized"}');
        return;
      }
      const chunks: Uint8Array[] = [];
      request
        .on('data', (chunk: Uint8Array) => chunks.push(chunk))
        .on('end', () => {
          const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
          const content = { 'content-type': headers['content-type'] ?? '' };
          fetch(target + url, { method, headers: content, ...body })
            .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
            .catch((error: unknown) => response.writeHead(502).end(String(error)));
        });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new GuardedRegistry(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
