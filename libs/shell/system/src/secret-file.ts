// Files that hold a certificate or a secret, as they are now: they are replaced while a process runs.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** A bundle of all authorities of the web has 250 kB. */
const SECRET_FILE_BYTES_MAX = 4 * 1024 * 1024;

/** Texts that can be read only once: those of pipes, by path. */
export type ReadOnce = Map<string, string>;

/** @throws where it cannot be read, in Node's words */
export function readSecretFile(path: string, readOnce: ReadOnce): string {
  const known = readOnce.get(path);
  if (known !== undefined) return known;
  const file = openSync(path, 'r');
  try {
    const status = fstatSync(file);
    if (status.size > SECRET_FILE_BYTES_MAX)
      throw new Error(`it has ${status.size} bytes; at most ${SECRET_FILE_BYTES_MAX} are read`);
    const text = readFileSync(file, 'utf8');
    if (!status.isFile()) readOnce.set(path, text);
    return text;
  } finally {
    closeSync(file);
  }
}

/** Without the line ends that editors and `echo` put at its end, and Kubernetes passes on, and a byte order mark before it. */
export function secretIn(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
}
