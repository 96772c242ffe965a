// The two packages that only the site needs: in docs/site, with a lock file of their own, installed when the site is first built.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exclusively } from '../install-lock.mjs';
import { outdated } from '../installed.mjs';

/** The part of marked that is used. */
export interface MarkdownParser {
  lexer(markdown: string): readonly MarkdownToken[];
  parser(tokens: readonly MarkdownToken[]): string;
}

export interface MarkdownToken {
  readonly type: string;
  readonly raw: string;
  readonly depth?: number;
}

/** The part of MiniSearch that is used. */
export interface SearchIndex {
  addAll(documents: readonly object[]): void;
}

export interface Dependencies {
  readonly markdown: MarkdownParser;
  readonly SearchIndex: new (options: object) => SearchIndex;
  /** The script that a page loads to search. */
  readonly searchScript: string;
}

/** @throws where npm cannot install them */
export async function dependencies(root: string): Promise<Dependencies> {
  const folder = join(root, 'docs/site');
  const modules = join(folder, 'node_modules');
  if (isStale(folder))
    await exclusively(join(root, '.flatline', 'site-install.lock'), async (hold) => {
      if (isStale(folder)) await install(folder, hold);
    });
  const { marked } = (await import(pathToFileURL(join(modules, 'marked/lib/marked.esm.js')).href)) as {
    readonly marked: MarkdownParser;
  };
  const { default: SearchIndex } = (await import(pathToFileURL(join(modules, 'minisearch/dist/es/index.js')).href)) as {
    readonly default: Dependencies['SearchIndex'];
  };
  const searchScript = readFileSync(join(modules, 'minisearch/dist/umd/index.js'), 'utf8');
  return { markdown: marked, SearchIndex, searchScript: searchScript.replace(/\n\/\/# sourceMappingURL.*/, '') };
}

function isStale(folder: string): boolean {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return true;
  return outdated(packagesOf(join(folder, 'package-lock.json')), packagesOf(installed)) !== undefined;
}

function packagesOf(file: string): Record<string, { version?: string; integrity?: string }> {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: ReturnType<typeof packagesOf> };
  return packages;
}

async function install(folder: string, hold: (pid: number) => void): Promise<void> {
  process.stderr.write('site: installing its two packages (npm ci), once\n');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (child.pid !== undefined) hold(child.pid);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm ci in docs/site ended with ${code ?? 'a signal'}: run it by hand to see why`);
}
