// Builds the programs of peers that are not Java: packages from npm or PyPI by their lock files, C by gcc, and
// Go with the modules in go.sum.
import { Fatal } from '@flatline/base';
import type { BuiltProject, Workspace } from '@flatline/dev-broker';
import { cpSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runTool } from './programs.ts';

const NETWORK = 'check the network, or the mirror it is set up with';

export function nodePackage(name: string, workspace: Workspace): BuiltProject {
  const folder = folderOf(name, workspace);
  const build = async (into: string): Promise<void> => {
    cpSync(folder, into, { recursive: true });
    const args = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runTool('npm', args, { cwd: into, remedy: NETWORK });
  };
  return { name: `peer-${name}`, folder, tool: 'npm', build };
}

/** A virtual environment with the pins of `requirements.txt`; only its interpreter is used, so that it may be moved. */
export function pythonPackage(name: string, workspace: Workspace, python: string): BuiltProject {
  const folder = folderOf(name, workspace);
  const build = async (into: string): Promise<void> => {
    cpSync(folder, into, { recursive: true });
    await runTool(python, ['-m', 'venv', into], { remedy: 'install the venv module of Python (python3-venv)' });
    const pip = ['-m', 'pip', 'install', '-q', '--only-binary', ':all:', '--no-deps', '-r', 'requirements.txt'];
    await runTool(join(into, 'bin', 'python'), pip, { cwd: into, remedy: `${NETWORK}; it needs Python 3.11 or 3.12` });
  };
  return { name: `peer-${name}`, folder, tool: 'pip', build };
}

/** C, linked with the shared library of a Python wheel of `requirements.txt`, which is put beside the program. */
export function cProgram(name: string, workspace: Workspace, python: string): BuiltProject {
  const folder = folderOf(name, workspace);
  const build = async (into: string): Promise<void> => {
    const pip = ['-m', 'pip', 'download', '-q', '--only-binary', ':all:', '--no-deps', '-d', into];
    const requirements = ['-r', join(folder, 'requirements.txt')];
    await runTool(python, [...pip, ...requirements], {
      remedy: `${NETWORK}; there are wheels for Linux and Python 3.8 on`,
    });
    const wheel = readdirSync(into).find((file) => file.endsWith('.whl'))!;
    await runTool(python, ['-m', 'zipfile', '-e', join(into, wheel), join(into, 'wheel')], { remedy: NETWORK });
    const library = sharedLibrary(join(into, 'wheel'), name);
    cpSync(library, join(into, basename(library)));
    const args = ['-std=c11', '-D_DEFAULT_SOURCE', '-O2', '-o', join(into, 'reader'), join(folder, 'reader.c')];
    // Found beside the program, wherever that is moved; the library may have been linked against another C library than is here.
    const linked = [`-L${into}`, `-l:${basename(library)}`, '-Wl,-rpath,$ORIGIN', '-Wl,--allow-shlib-undefined'];
    await runTool('gcc', [...args, ...linked], { remedy: 'install a newer gcc' });
  };
  return { name: `peer-${name}`, folder, tool: 'pip and gcc', build };
}

/** Programs in Go: by name, the package that each is built from, in `peers/go` or in a module of its go.mod. */
export function goPrograms(
  name: string,
  workspace: Workspace,
  { go, packages }: { readonly go: string; readonly packages: Readonly<Record<string, string>> },
): BuiltProject {
  const folder = folderOf('go', workspace);
  const build = async (into: string): Promise<void> => {
    cpSync(folder, into, { recursive: true });
    for (const [program, from] of Object.entries(packages)) {
      const args = ['build', '-trimpath', '-buildvcs=false', '-o', join(into, program), from];
      await runTool(go, args, { cwd: into, remedy: `${NETWORK}; it needs the Go that its go.mod names` });
    }
  };
  return { name: `peer-${name}`, folder, tool: 'go', build };
}

function sharedLibrary(folder: string, name: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => basename(file).startsWith(`${name}-`) && basename(file).includes('.so'));
  if (found === undefined) throw new Fatal(`the wheel in ${folder} has no ${name}: use one for Linux with glibc`);
  return join(folder, found);
}

function folderOf(name: string, { root }: Workspace): string {
  return join(root, 'apps', 'lab', 'bench', 'peers', name);
}
