// Carries out the steps of a two-stage Dockerfile in folders: each path of the image is one below the stage's folder. Users,
// ports and volumes are left to an engine.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Building {
  /** The source folder of COPY. */
  readonly context: string;
  /** Empty; becomes the last stage. */
  readonly folder: string;
  /** Lays the base image of the last stage. */
  readonly layBase: (folder: string) => void;
}

interface Instruction {
  readonly keyword: string;
  readonly words: readonly string[];
  readonly rest: string;
}

/** A path of the image as a word of a command. */
const PATH = /(?<=^|\s)\/(?=[a-z])/g;

/** `isStripped`: whether GNU's `strip` is available. */
export function build(text: string, { context, folder, layBase }: Building): { readonly isStripped: boolean } {
  const first = mkdtempSync(join(tmpdir(), 'flatline-stage-'));
  const isStripped = String(spawnSync('strip', ['--version']).stdout).startsWith('GNU');
  try {
    const [installing = [], shipping = []] = stagesOf(instructionsIn(text));
    layNode(first);
    doSteps(installing, { folder: first, files: context, env: isStripped ? process.env : withoutStrip(first) });
    layBase(folder);
    doSteps(shipping, { folder, files: first, env: process.env });
  } finally {
    rmSync(first, { recursive: true });
  }
  return { isStripped };
}

function instructionsIn(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return keyword === undefined || rest === undefined ? [] : [{ keyword, rest, words: rest.split(/\s+/) }];
  });
}

function stagesOf(instructions: readonly Instruction[]): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const each of instructions) {
    if (each.keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push(each);
  }
  if (stages.length !== 2)
    throw new Error(`the Dockerfile has ${stages.length} stages, not one to install and one to ship`);
  return stages;
}

/** Lays the Node of this machine: on Linux that of the image. */
function layNode(folder: string): void {
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'), { dereference: true });
  mkdirSync(join(folder, 'var/lib'), { recursive: true });
}

/** Stands in for a missing `strip`: the result differs only in its symbols. */
function withoutStrip(folder: string): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'stand-in'));
  symlinkSync('/bin/true', join(folder, 'stand-in/strip'));
  return { ...process.env, PATH: `${join(folder, 'stand-in')}:${process.env['PATH'] ?? ''}` };
}

interface Stage {
  readonly folder: string;
  /** The folder that COPY takes files from. */
  readonly files: string;
  readonly env: NodeJS.ProcessEnv;
}

function doSteps(instructions: readonly Instruction[], { folder, files, env }: Stage): void {
  let cwd = folder;
  for (const { keyword, words, rest } of instructions) {
    if (keyword === 'WORKDIR') {
      cwd = join(folder, rest);
      mkdirSync(cwd, { recursive: true });
    } else if (keyword === 'COPY') copy(words, { folder, files, cwd });
    else if (keyword === 'RUN') runIn(cwd, rest.replaceAll(PATH, `${folder}/`), env);
  }
}

function copy(words: readonly string[], { folder, files, cwd }: { folder: string; files: string; cwd: string }): void {
  const [from, to] = words.filter((word) => !word.startsWith('--')) as [string, string];
  const owner = words.find((word) => word.startsWith('--chown='))?.replace(/.*=|:.*/g, '');
  const found = globSync(from.replace(/^\//, ''), { cwd: files });
  if (found.length !== 1) throw new Error(`COPY ${from}: ${found.length} files in ${files}`);
  const target = to.startsWith('/') ? join(folder, to) : join(cwd, to);
  cpSync(join(files, found[0]!), target, { recursive: true, verbatimSymlinks: true });
  if (owner === undefined || process.getuid?.() !== 0) return;
  if (readdirSync(target).length > 0) throw new Error(`COPY --chown of ${from}, which has files`);
  lchownSync(target, Number(owner), Number(owner));
}

function runIn(cwd: string, command: string, env: NodeJS.ProcessEnv): void {
  // Otherwise npm would look for a project in the folders above, which an image does not have.
  const project = join(cwd, 'package.json');
  if (!existsSync(project)) writeFileSync(project, '{}');
  const own = Object.entries(env).filter(([name]) => !name.startsWith('npm_'));
  const given = { ...Object.fromEntries(own), npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' };
  execFileSync('sh', ['-ec', command], { cwd, env: given, stdio: ['ignore', 'ignore', 'inherit'] });
}
