// How the programs of peers that are not Java come to be: packages from npm or PyPI as their lock files name them, C by gcc.
import type { BuiltProject, Workspace } from '@flatline/dev-broker';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './installed-program.ts';

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

/** A virtual environment with what `requirements.txt` pins; only its interpreter is used, so that it may be moved. */
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

/** `flags`: of the libraries, as pkg-config says. */
export function cProgram(name: string, workspace: Workspace, flags: () => Promise<readonly string[]>): BuiltProject {
  const folder = folderOf(name, workspace);
  const build = async (into: string): Promise<void> => {
    const args = ['-std=c11', '-D_DEFAULT_SOURCE', '-O2', '-o', join(into, 'reader'), join(folder, 'reader.c')];
    await runTool('gcc', [...args, ...(await flags())], { remedy: 'install a newer gcc and librdkafka-dev' });
  };
  return { name: `peer-${name}`, folder, tool: 'gcc', build };
}

function folderOf(name: string, { root }: Workspace): string {
  return join(root, 'apps', 'bench', 'peers', name);
}
