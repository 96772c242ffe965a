import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface Spooled {
  readonly path: string;
  remove(): void;
}

/** A stream as a file: an import reads twice, and a stream cannot be. Stopped, it holds a part. @throws Node's errors of the file system */
export async function spool(input: NodeJS.ReadableStream, stop: AbortSignal): Promise<Spooled> {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-import-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const path = join(folder, 'input');
  try {
    await pipeline(input, createWriteStream(path), { signal: stop });
    return { path, remove };
  } catch (error) {
    if (stop.aborted) return { path, remove };
    remove();
    throw error;
  }
}
