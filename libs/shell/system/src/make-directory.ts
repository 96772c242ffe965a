import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * As `mkdirSync` with `recursive`, which never returns below a directory that takes no entries and answers ENOENT, as procfs
 * does (Node 24). @throws what node:fs throws
 */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process made it meanwhile.
    if (!(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)) throw error;
  }
}
