// One subscription that is listened to: which outputs came, and where it goes on when it is cut.
//
// Owns: its connection, its cursor.
// Does not own: what it hears, when it is cut.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface HearingParts {
  readonly url: string;
  /** The key of each output. */
  readonly onOutput: (key: string) => void;
  /** It has ended by itself. */
  readonly onEnd: (error: Error) => void;
}

const EVENT_END = '\n\n';

export class Hearing {
  readonly #parts: HearingParts;
  #cursor: string | undefined;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #rest = '';

  constructor(parts: HearingParts) {
    this.#parts = parts;
  }

  /** It has been told where to go on. */
  get hasCursor(): boolean {
    return this.#cursor !== undefined;
  }

  /** Bytes that were taken from the connection. */
  get bytesRead(): number {
    return this.#request?.socket?.bytesRead ?? 0;
  }

  /**
   * Resolves with 0 once it is let in, else with the seconds after which it may come again; a connection that does not come about is
   * tried again, too. Goes on where it was.
   */
  open(): Promise<number> {
    const headers = this.#cursor === undefined ? {} : { 'last-event-id': this.#cursor };
    return new Promise((resolve) => {
      const request = get(this.#parts.url, { agent: false, headers }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          resolve(Math.max(1, Number(response.headers['retry-after'] ?? 1)));
          return;
        }
        this.#hear(request, response);
        resolve(0);
      });
      this.#request = request;
      request.on('error', (error) => {
        if (this.#request !== request) return;
        if (this.#response === undefined) resolve(1);
        else this.#parts.onEnd(error);
      });
    });
  }

  /** As a connection that breaks. */
  cut(): void {
    const request = this.#request;
    this.#request = undefined;
    this.#response = undefined;
    this.#rest = '';
    request?.destroy();
  }

  /** Takes nothing more. */
  stop(): void {
    this.#response?.pause();
  }

  #hear(request: ClientRequest, response: IncomingMessage): void {
    this.#response = response;
    response.setEncoding('utf8').on('data', (text: string) => {
      if (this.#request === request) this.#take(text);
    });
    response.on('close', () => {
      if (this.#request === request) this.#parts.onEnd(new Error('a subscription has ended'));
    });
  }

  #take(text: string): void {
    const events = `${this.#rest}${text}`.split(EVENT_END);
    this.#rest = events.pop()!;
    for (const event of events) {
      this.#cursor = /^id: (.*)$/m.exec(event)?.[1] ?? this.#cursor;
      if (!event.includes('event: output')) continue;
      const data = /^data: (.*)$/m.exec(event)![1]!;
      this.#parts.onOutput((JSON.parse(data) as { readonly key: string }).key);
    }
  }
}
