import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of all files below a folder; one with several names counts once, as in a layer. */
export function bytesOf(folder: string): number {
  const files = new Map<number, number>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = lstatSync(join(entry.parentPath, entry.name));
    files.set(ino, size);
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}
