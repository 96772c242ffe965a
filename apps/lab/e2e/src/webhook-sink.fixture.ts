// An endpoint of webhooks: keeps what comes, verifies it by the library that Standard Webhooks publishes, and answers as it is told.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { sleep } from './scenario.fixture.ts';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly at: number;
  /** By the published library. */
  readonly isVerified: boolean;
}

type Answer = (response: ServerResponse, received: Received, count: number) => void;

export const ok: Answer = (response) => {
  response.writeHead(204).end();
};

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers).end(`answered ${code}`);
  };

export class WebhookSink {
  readonly secret = `whsec_${randomBytes(32).toString('base64')}`;
  readonly received: Received[] = [];
  answer: Answer = ok;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
      });
      request.on('end', () => {
        const received = this.#read(request.headers, Buffer.concat(chunks).toString());
        this.received.push(received);
        this.answer(response, received, this.received.filter(({ id }) => id === received.id).length);
      });
    });
  }

  static async open(): Promise<WebhookSink> {
    const sink = new WebhookSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  get ids(): readonly string[] {
    return this.received.map(({ id }) => id);
  }

  /** Resolves once so many different ones have come. */
  async until(count: number): Promise<void> {
    while (new Set(this.ids).size < count) await sleep(50);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #read(headers: IncomingHttpHeaders, body: string): Received {
    let isVerified = true;
    try {
      new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch {
      isVerified = false;
    }
    return { id: headers['webhook-id'] as string, body, headers, at: Date.now(), isVerified };
  }
}
