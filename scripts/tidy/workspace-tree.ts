import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Tree } from './workspace.ts';

/** A larger file is no text written by hand. In bytes. */
const TEXT_BYTES_MAX = 2 ** 20;

const PICTURE = '.png';

/** Reads every text file below `root` that .gitignore, which names folders, files and endings only, does not exclude; pictures, which pages show, are empty. */
export function readTree(root: string): Tree {
  const ignored = ignoredBy(readFileSync(join(root, '.gitignore'), 'utf8'));
  const tree = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (ignored(entry.name, entry.isDirectory())) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) readInto(tree, root, path);
    }
  };
  walk('');
  return tree;
}

function readInto(tree: Map<string, string>, root: string, path: string): void {
  const bytes = path.endsWith(PICTURE) ? Buffer.alloc(0) : readFileSync(join(root, path));
  if (bytes.length <= TEXT_BYTES_MAX && !bytes.includes(0)) tree.set(path, bytes.toString('utf8'));
}

function ignoredBy(gitignore: string): (name: string, isFolder: boolean) => boolean {
  const patterns = gitignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const folders = new Set(['.git', ...patterns.filter((each) => each.endsWith('/')).map((each) => each.slice(0, -1))]);
  const endings = patterns.filter((each) => each.startsWith('*')).map((each) => each.slice(1));
  // In a linked worktree .git is a file that names the place of the repository.
  const names = new Set(['.git', ...patterns]);
  return (name, isFolder) =>
    isFolder ? folders.has(name) : names.has(name) || endings.some((ending) => name.endsWith(ending));
}
