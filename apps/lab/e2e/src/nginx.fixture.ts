// Debian's nginx as a proxy before a processor: one process, with its own files in a folder of the test's, ended with the test.
import { freePorts } from '@flatline/dev-broker';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { launch } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

const FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const LOOK_MS = 20;

/** The path of the program; undefined: it is not installed. */
export function installedNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...FOLDERS];
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
}

/** Serves `/api/` from `processor`, everything else from `site`; whatever is not said here is nginx's default. Its address. */
export async function startNginx(
  program: string,
  folder: string,
  { processor, site }: { readonly processor: string; readonly site: string },
): Promise<string> {
  const [port] = await freePorts(1);
  const own = join(folder, 'nginx');
  mkdirSync(own, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${own}/${what};`,
  );
  writeFileSync(
    join(own, 'nginx.conf'),
    `daemon off; master_process off; pid ${own}/pid; error_log stderr;
events {}
http {
  access_log off; ${temporary.join(' ')}
  server {
    listen 127.0.0.1:${port!};
    location /api/ { proxy_pass ${processor}; proxy_http_version 1.1; }
    location / { proxy_pass ${site}; }
  }
}
`,
  );
  const running = launch(program, ['-p', own, '-c', join(own, 'nginx.conf')]);
  const address = `http://127.0.0.1:${port!}`;
  const ended = running.finished.then(({ stderr }): never => {
    throw new Error(`nginx has ended: ${stderr}`);
  });
  ended.catch(() => undefined);
  while (!(await Promise.race([isAnswering(address), ended]))) await sleep(LOOK_MS);
  return address;
}

async function isAnswering(address: string): Promise<boolean> {
  try {
    await (await fetch(`${address}/`)).text();
    return true;
  } catch {
    return false;
  }
}
