// `npm run image [-- --into FOLDER]`: assembles the contents of infra/image/Dockerfile without an engine, and weighs them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BASE_BYTES, layBase } from './image/base.ts';
import { build } from './image/build.ts';
import { bytesOf } from './image/bytes.ts';
import { stagingOf } from './packing/published.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const BYTES_MAX = 150_000_000;
const USAGE = `usage: npm run image [-- --into FOLDER]

Does the steps of infra/image/Dockerfile in folders, with this Node, the tarball of \`npm run pack\` and Debian's packages of the
distroless base, and says what the image weighs: the bytes of its files. Needs npm, and strip (binutils). The packages are
fetched once, on Debian 12; elsewhere their weight is taken from an earlier measurement.

  --into FOLDER  keep the image's files there, in an empty folder
  --help         this page

Exit code 0: at most ${BYTES_MAX / 1e6} MB, or not measured. 1: more. 2: wrong flags, or something is missing.
`;

const flags = given();
if (flags.help) process.stdout.write(USAGE);
else if (flags.into === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-image-'));
  try {
    weigh(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  mkdirSync(flags.into, { recursive: true });
  weigh(flags.into);
}

function given() {
  try {
    return parseArgs({ options: { into: { type: 'string' }, help: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function refuse(why: string): never {
  process.stderr.write(`image: ${why}\n`);
  return process.exit(2);
}

function weigh(folder: string): void {
  const context = stagingOf(root);
  if (!existsSync(context)) refuse('dist/packages lacks a tarball: npm run pack');
  let lacking: string | undefined;
  const { isStripped } = build(readFileSync(join(root, 'infra/image/Dockerfile'), 'utf8'), {
    context,
    folder,
    layBase: (into) => {
      lacking = layBase(into, join(root, '.flatline/artifacts/image-base'));
    },
  });
  const node = bytesOf(join(folder, 'usr/local'));
  const packages = bytesOf(join(folder, 'opt'));
  const base = lacking === undefined ? bytesOf(folder) - node - packages : BASE_BYTES;
  say('base', base, lacking === undefined ? "Debian's packages" : `measured earlier: ${lacking}`);
  say('Node', node, process.version);
  say('Flatline', packages, 'with its dependencies');
  const bytes = base + node + packages;
  if (!isStripped) {
    say('not run: image', bytes, 'with symbols, because strip (binutils) is not here');
    return;
  }
  say('image', bytes, `at most ${BYTES_MAX / 1e6}`);
  if (bytes > BYTES_MAX) process.exitCode = 1;
}

function say(what: string, bytes: number, more: string): void {
  console.log(`${what}: ${(bytes / 1e6).toFixed(1)} MB (${more})`);
}
