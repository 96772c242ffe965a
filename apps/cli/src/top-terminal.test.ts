// `flatline top` on a real terminal: a pseudo-terminal of util-linux's script.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('developer/main.ts', import.meta.url));
/** The one of macOS and the BSDs takes other flags. */
const isThere = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** As it stands in what a test looks at: patterns take no control characters. */
const ESC = '␛';

let looks = 0;
const server = createServer((request, response) => {
  const row = { pipeline: 'visits', role: 'owner', state: 'running', liveEntries: 3 };
  // The first of them is read further with each look; nothing else changes.
  if (request.url === '/api/v1/partitions') looks += 1;
  const partitions = [
    { ...row, partition: 0, position: 1_000 * looks, lag: 0, counters: { expired: 77 } },
    { ...row, partition: 1, position: 5, lag: 9 },
  ];
  const body = {
    '/readyz': { ready: true, reasons: [], warnings: [] },
    '/api/v1/partitions': { instance: 'a', partitions },
    '/api/v1/pipelines': { instance: 'a', pipelines: [{ instances: [{ name: 'a', endpoint: '' }] }] },
    '/api/v1/workers': { instance: 'a', workers: [] },
  }[request.url ?? ''];
  response.end(JSON.stringify(body));
});
let url: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

class Terminal {
  readonly #child;
  #said = '';
  #heard: (() => void) | undefined;

  /** 90 columns and 12 rows; says at the end if it waits for whole lines again, as a shell wants it. */
  constructor(command: string) {
    const typed = `stty cols 90 rows 12; ${command}; echo "ended with $?"; stty -a`;
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1' };
    delete (env as NodeJS.ProcessEnv)['CI'];
    this.#child = spawn('script', ['--quiet', '--flush', '--command', typed, '/dev/null'], { env });
    this.#child.stdout.on('data', (bytes: Buffer) => {
      this.#said += bytes.toString().replaceAll('\x1b', ESC);
      this.#heard?.();
    });
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Resolves with what was written until it matches, and forgets that. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#said)) await new Promise<void>((resolve) => (this.#heard = resolve));
    const said = this.#said;
    this.#said = '';
    return said;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

async function watched(): Promise<void> {
  const node = `${process.execPath} --conditions=@flatline/source ${PROGRAM}`;
  const terminal = new Terminal(`${node} top --url ${url} --interval 100ms`);
  try {
    const first = await terminal.until(/q end/u);
    expect(first).toContain('␛[?1049h');
    // By lag, until the second look knows rates.
    expect(first).toMatch(/▶ visits\/1 +running/u);
    await terminal.until(/▶ visits\/0 +running +[1-9][^]*visits\/1 +running +0 /u);
    // From here on the first partition's rate is all that changes: line 4, and no other.
    const again = await terminal.until(/␛\[4;1H.*␛\[4;1H/su);
    expect(new Set([...again.matchAll(/␛\[(\d+);1H/gu)].map(([, line]) => line))).toEqual(new Set(['4']));
    terminal.type('l');
    await terminal.until(/lag ▼[^]*▶ visits\/1/u);
    terminal.type('pr');
    await terminal.until(/partition ▲/u);
    terminal.type('\x1b[B\r');
    await terminal.until(/counters\.expired +77/u);
    terminal.type('\x1b');
    await terminal.until(/partition ▲/u);
    terminal.type('\x03');
    const last = await terminal.until(/ended with \d+[^]*icanon/u);
    expect(last).toContain('␛[?1049l');
    expect(last).toMatch(/ended with 0/u);
    expect(last).toMatch(/[^-]icanon/u);
    expect(last).toMatch(/[^-]echo /u);
  } finally {
    terminal.end();
  }
}

if (isThere)
  test(
    'on a terminal keys order, choose and look into partitions, only changed lines are drawn, and the terminal is given back',
    watched,
    60_000,
  );
else
  test('NOT RUN, for want of util-linux: flatline top on a terminal', () => {
    expect(isThere).toBe(false);
  });
