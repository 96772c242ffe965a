// A page in a real browser: served here, opened by a headless browser, and heard by its requests.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { launch, type Running } from './child.fixture.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The first browser on the PATH. */
export function installedBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Opens a page; `profile` is a folder for the browser's files. */
export function openPage(browser: string, profile: string, url: string): Running {
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-gpu'];
  // Tests may run as root and in containers: the browser's sandbox works in neither.
  const contained = ['--no-sandbox', '--disable-dev-shm-usage'];
  return launch(browser, ['--headless=new', ...quiet, ...contained, `--user-data-dir=${profile}`, url]);
}

/** Pages and their messages: `POST /said/NAME`. A page waits for a word of the test by `GET /when/NAME`. */
export class Site {
  readonly #server: Server;
  readonly #pages = new Map<string, string>();
  readonly #words = new Map<string, PromiseWithResolvers<string>>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response);
    });
  }

  static async open(): Promise<Site> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Site(server);
  }

  /** The same server is another origin under each name of this machine. */
  origin(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A page whose whole content is this script. */
  page(path: string, script: string): void {
    this.#pages.set(path, `<!doctype html><meta charset="utf-8"><script type="module">${script}</script>`);
  }

  /** A page's message, as JSON. */
  async said(name: string): Promise<unknown> {
    return JSON.parse(await this.#word(`/said/${name}`).promise);
  }

  tell(name: string): void {
    this.#word(`/when/${name}`).resolve('');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/said/')) this.#word(path).resolve(await text(request));
    else if (path.startsWith('/when/')) await this.#word(path).promise;
    response.setHeader('content-type', 'text/html').end(this.#pages.get(path) ?? '');
  }

  #word(path: string): PromiseWithResolvers<string> {
    const known = this.#words.get(path) ?? Promise.withResolvers<string>();
    this.#words.set(path, known);
    return known;
  }
}
