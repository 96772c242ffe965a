// The programs of docs/examples, built where their toolchain is installed: into .flatline/artifacts, once per version of a source.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const examples = join(root, 'docs/examples');
const artifacts = join(root, '.flatline/artifacts');

interface Program {
  readonly name: string;
  /** Returns the command that starts it, given the folder in which it was built. */
  readonly build: (folder: string) => readonly string[];
}

interface Language extends Program {
  /** A program, with arguments, that succeeds if the toolchain is there. */
  readonly probe: readonly [string, ...string[]];
  readonly speaksAvro?: boolean;
  /** Takes minutes or downloads much: only built if asked for by name. */
  readonly isSlowToBuild?: boolean;
}

export interface ExampleProgram {
  readonly name: string;
  readonly speaksAvro: boolean;
  readonly command: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  { name: 'kcat', probe: ['kcat', '-V'], build: (folder) => ['bash', join(folder, 'sessions.sh')] },
  {
    name: 'java',
    probe: ['java', '--version'],
    build: (folder) => ['java', '-cp', clientJars().join(delimiter), join(folder, 'Sessions.java')],
  },
  {
    name: 'python',
    probe: ['python3', '-c', 'import venv, sys; assert sys.version_info >= (3, 9)'],
    speaksAvro: true,
    isSlowToBuild: true,
    build: (folder) => {
      run(folder, 'python3', '-m', 'venv', 'env');
      run(folder, 'env/bin/python', '-m', 'pip', 'install', '-q', '--only-binary', ':all:', '-r', 'requirements.txt');
      return [join(folder, 'env/bin/python'), join(folder, 'sessions.py')];
    },
  },
  {
    name: 'go',
    probe: ['go', 'version'],
    speaksAvro: true,
    isSlowToBuild: true,
    build: (folder) => {
      run(folder, 'go', 'build', '-o', 'sessions', '.');
      return [join(folder, 'sessions'), '-schema', join(root, 'schemas/session-event.avsc')];
    },
  },
  {
    name: 'rust',
    probe: ['cargo', '--version'],
    isSlowToBuild: true,
    build: (folder) => {
      run(folder, 'cargo', 'build', '--quiet', '--locked');
      return [join(folder, 'target/debug/sessions')];
    },
  },
];

/** Uses the SDK, which it finds in the workspace around it. */
const LEADER_ELECTION: Program = {
  name: 'leader-election',
  build: (folder) => {
    run(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent');
    return [process.execPath, '--conditions=@flatline/source', join(folder, 'worker.js')];
  },
};

/** Languages named by `EXAMPLES` (`go,rust`, or `all`); by default those that build in moments and whose toolchain is here. */
export function exampleLanguages(): string[] {
  const asked = process.env['EXAMPLES']?.split(',');
  const chosen = LANGUAGES.filter(({ name, isSlowToBuild = false }) =>
    asked === undefined ? !isSlowToBuild : asked.includes(name) || asked.includes('all'),
  );
  const isHere = ({ probe: [program, ...args] }: Language): boolean => spawnSync(program, args).status === 0;
  const names = chosen.map(({ name }) => name);
  const unknown = asked?.filter((each) => each !== 'all' && !names.includes(each)) ?? [];
  if (unknown.length > 0) throw new Error(`EXAMPLES: there is no example in ${unknown.join(', ')}`);
  const lacking = chosen.filter((each) => !isHere(each) && asked?.includes(each.name) === true);
  if (lacking.length > 0) throw new Error(`no toolchain here for ${lacking.map(({ name }) => name).join(', ')}`);
  return chosen.filter(isHere).map(({ name }) => name);
}

const PROGRAMS: readonly (Program & { readonly speaksAvro?: boolean })[] = [...LANGUAGES, LEADER_ELECTION];

export function buildExample(name: string): ExampleProgram {
  const { speaksAvro = false, build } = PROGRAMS.find((each) => each.name === name)!;
  const source = join(examples, name);
  const hash = createHash('sha256');
  for (const file of globSync('**/*.*', { cwd: source }).toSorted())
    hash.update(file).update(readFileSync(join(source, file)));
  const folder = join(artifacts, `example-${name}-${hash.digest('hex').slice(0, 12)}`);
  const built = join(folder, 'command.json');
  if (!existsSync(built)) {
    mkdirSync(folder, { recursive: true });
    cpSync(source, folder, { recursive: true });
    writeFileSync(built, JSON.stringify(build(folder)));
  }
  return { name, speaksAvro, command: JSON.parse(readFileSync(built, 'utf8')) as readonly string[] };
}

/** The jars of the broker that tests run. */
function clientJars(): string[] {
  const jars = globSync(
    ['broker-*/kafka-clients-*.jar', 'broker-*/slf4j-api-*.jar', 'broker-*/{lz4,snappy,zstd}-*.jar'],
    {
      cwd: artifacts,
    },
  );
  if (jars.length === 0) throw new Error(`no kafka-clients below ${artifacts}: flatline broker start fetches it`);
  return jars.map((jar) => join(artifacts, jar));
}

function run(cwd: string, program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
