// The contents of the image in a folder (`npm run image`), and its programs in its environment, as its user. As root on Debian
// they see nothing else of this machine but /proc, /dev and names of hosts; elsewhere they use this machine's libraries.
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Done, root } from './installation.fixture.ts';
import { Program } from './program.fixture.ts';

/** Enters the folder $0 as user $1 in its folder $2, and runs the rest. */
const ENTER = `mount --bind /proc "$0/proc" && mount --rbind /dev "$0/dev" || exit 125
uid=$1 cwd=$2
shift 2
exec unshare --root="$0" --wd="$cwd" --setgid="$uid" --setuid="$uid" -- "$@"`;

export interface Process {
  /** WORKDIR. */
  readonly cwd: string;
  /** ENV. */
  readonly environment: Readonly<Record<string, string>>;
}

export class ImageRoot {
  /** The output of `npm run image`, with its size. */
  readonly said: string;
  readonly #folder: string;
  readonly #uid: string;
  readonly #isEntered: boolean;

  private constructor(folder: string, uid: string, said: string) {
    this.#folder = folder;
    this.#uid = uid;
    this.said = said;
    const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
    this.#isEntered = said.includes("Debian's packages") && mayMount;
    if (!this.#isEntered) console.log('not run: the image in a root of its own, which needs root and Debian 12');
  }

  static build(uid: string): ImageRoot {
    const folder = mkdtempSync(join(tmpdir(), 'flatline-image-'));
    chmodSync(folder, 0o755);
    const args = ['--conditions=@flatline/source', 'scripts/image.ts', '--into', folder];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      timeout: 240_000,
    });
    if (status !== 0) throw new Error(`scripts/image.ts ended with ${status ?? 'no code'}: ${stdout}${stderr}`);
    for (const name of ['hosts', 'resolv.conf']) copyFileSync(join('/etc', name), join(folder, 'etc', name));
    return new ImageRoot(folder, uid, stdout);
  }

  read(path: string): string {
    return readFileSync(join(this.#folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.#folder, path, '..'), { recursive: true });
    writeFileSync(join(this.#folder, path), text);
  }

  run(command: readonly string[], process: Process): Promise<Done> {
    const [program, args] = this.#started(command, process);
    return new Promise((resolve) => {
      execFile(program, args, { cwd: join(this.#folder, process.cwd), timeout: 120_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  }

  start(command: readonly string[], process: Process): Program {
    const [program, args] = this.#started(command, process);
    return Program.start(program, args, join(this.#folder, process.cwd));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** Without this process's environment. */
  #started(command: readonly string[], { cwd, environment }: Process): [program: string, args: string[]] {
    const pairs = Object.entries(environment).map(([name, value]) => `${name}=${this.#here(value)}`);
    const entered = ['unshare', '--mount', 'sh', '-c', ENTER, this.#folder, this.#uid, cwd];
    return ['env', ['-i', ...pairs, ...(this.#isEntered ? entered : []), ...command.map((each) => this.#here(each))]];
  }

  /** A path of the image as programs see it. */
  #here(word: string): string {
    return this.#isEntered || !/^\/(usr|opt|var)\//.test(word) ? word : join(this.#folder, word);
  }
}
