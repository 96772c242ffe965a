// Reads errors of node:fs, node:sqlite and lmdb by their shape, not their class: they may come from another realm.

/** 'ENOENT' and the like; '' where it has none. */
export function codeOf(error: unknown): string {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' ? code : '';
}

/** LMDB's code where it is negative, else an errno; undefined where it is no error of lmdb. */
export function lmdbCodeOf(error: unknown): number | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'number' ? code : undefined;
}

export function sqliteCodeOf(error: unknown): number | undefined {
  const code = propertyOf(error, 'errcode');
  return typeof code === 'number' ? code : undefined;
}

/** True for an error of node:fs. */
export function isSystemError(error: unknown): boolean {
  return typeof propertyOf(error, 'syscall') === 'string';
}

function propertyOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error
    ? (error as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
