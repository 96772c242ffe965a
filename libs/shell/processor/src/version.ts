import { readFileSync } from 'node:fs';

/** This program's version: its packages have one. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
