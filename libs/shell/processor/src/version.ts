import { readFileSync } from 'node:fs';

/** Of this program: its packages have one version. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
