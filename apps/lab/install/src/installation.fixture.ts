// One empty folder with both packages installed from their tarballs, and a user's actions in it.
import { execFile } from 'node:child_process';
import { existsSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const NPM = ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

export interface Done {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class Installation {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Tarballs by the beginning of their names, or by their paths. */
  static async of(names: readonly string[], flags: readonly string[] = []): Promise<Installation> {
    const made = new Installation(mkdtempSync(join(tmpdir(), 'flatline-install-')));
    made.write('package.json', '{ "name": "shop", "version": "1.0.0", "private": true, "type": "module" }');
    const tarballs = names.map((name) =>
      isAbsolute(name) ? name : join(root, 'dist/packages', `${name}-${version}.tgz`),
    );
    if (!tarballs.every((path) => existsSync(path))) throw new Error('dist/packages lacks a tarball: npm run pack');
    const { code, stderr } = await made.run('npm', [...NPM, ...flags, ...tarballs]);
    if (code !== 0) throw new Error(`npm install ended with ${code}: ${stderr}`);
    return made;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Done> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { ...outside(), ...env }, timeout: 120_000 };
      const child = execFile(command, args, options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
      child.stdin?.end();
    });
  }

  /** The command, as `node_modules/.bin` starts it. */
  flatline(node: string, ...args: readonly string[]): Promise<Done> {
    return this.run(node, [join('node_modules', 'flatline', 'bin', 'flatline.mjs'), ...args]);
  }

  /** Every file that was installed, relative to node_modules. */
  files(): string[] {
    const folder = join(this.folder, 'node_modules');
    return globSync('**/*', { cwd: folder }).filter((path) => lstatSync(join(folder, path)).isFile());
  }

  /** As `du` counts. */
  diskBytes(): number {
    const sizes = this.files().map((path) => lstatSync(join(this.folder, 'node_modules', path)).blocks * 512);
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Without the variables that a test run sets for itself, which users do not have. */
function outside(): NodeJS.ProcessEnv {
  const own = /^(npm_|NODE_OPTIONS$|KAFKA_BROKERS$|SCHEMA_REGISTRY_URL$|FLATLINE_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/** The examples of a page: its blocks in this language. */
export function examplesIn(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, example = '']) => example);
}
