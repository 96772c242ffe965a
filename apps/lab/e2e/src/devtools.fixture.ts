// A page in a headless browser that a test looks into, by the DevTools protocol over a socket.
import { writeFileSync } from 'node:fs';
import { installedBrowser } from './browser.fixture.ts';
import { launch, type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

const LOOK_MS = 100;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Complaint {
  readonly text: string;
  readonly url?: string;
}

export class Page {
  /** The page's console messages, refusals of its policy, and failed loads. */
  readonly complaints: Complaint[] = [];
  readonly #socket: WebSocket;
  readonly #running: Running;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();

  private constructor(socket: WebSocket, running: Running) {
    this.#socket = socket;
    this.#running = running;
    socket.addEventListener('message', ({ data }) => {
      this.#hear(JSON.parse(String(data)) as Message);
    });
  }

  /** `profile` is a folder for the browser's files. */
  static async open(profile: string): Promise<Page> {
    const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-gpu'];
    const contained = ['--no-sandbox', '--disable-dev-shm-usage'];
    const args = ['--headless=new', ...quiet, ...contained, '--remote-debugging-port=0', `--user-data-dir=${profile}`];
    const running = launch(installedBrowser()!, [...args, 'about:blank']);
    const port = /127\.0\.0\.1:(\d+)/.exec(await running.line(/DevTools listening/))![1]!;
    const targets = await fetch(`http://127.0.0.1:${port}/json`);
    const pages = (await targets.json()) as readonly { readonly type: string; readonly webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(pages.find(({ type }) => type === 'page')!.webSocketDebuggerUrl);
    await new Promise((resolve) => {
      socket.addEventListener('open', resolve, { once: true });
    });
    const page = new Page(socket, running);
    for (const domain of ['Page', 'Runtime', 'Log']) await page.ask(`${domain}.enable`);
    return page;
  }

  ask(method: string, params: object = {}): Promise<unknown> {
    const id = this.#asked.size + 1;
    const answer = Promise.withResolvers<unknown>();
    this.#asked.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  /** The value of an expression in the page; of a promise, what it resolves with. @throws what the page throws */
  async value(expression: string): Promise<unknown> {
    const asked = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = (await this.ask('Runtime.evaluate', asked)) as {
      readonly result: { readonly value?: unknown; readonly description?: string };
      readonly exceptionDetails?: object;
    };
    if (exceptionDetails !== undefined) throw new Error(result.description ?? JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** Resolves once the expression is true in the page. */
  async until(expression: string): Promise<void> {
    while ((await this.value(expression)) !== true) await sleep(LOOK_MS);
  }

  async picture(file: string): Promise<void> {
    const { data } = (await this.ask('Page.captureScreenshot', { format: 'png' })) as { readonly data: string };
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close(): Promise<void> {
    this.#socket.close();
    this.#running.child.kill('SIGTERM');
    await this.#running.finished;
  }

  #hear({ id, method, params, result, error }: Message): void {
    if (method === 'Log.entryAdded') this.complaints.push((params as { readonly entry: Complaint }).entry);
    if (method === 'Runtime.exceptionThrown') this.complaints.push({ text: JSON.stringify(params) });
    if (id === undefined) return;
    if (error === undefined) this.#asked.get(id)?.resolve(result);
    else this.#asked.get(id)?.reject(new Error(error.message));
  }
}
