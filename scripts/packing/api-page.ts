// The recorded API of a package: a page of the documentation, which must change together with the API.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Entry } from './published.ts';

/** The page for these declarations. */
export async function apiPageOf(root: string, { name }: Pick<Entry, 'name'>, declarations: string): Promise<string> {
  const text = `# API of ${name}

Written by \`npm run pack -- --record\`. What is not on this page is not public; until 1.0 a minor version may break it.

\`\`\`ts
${sorted(declarations)}\`\`\`
`;
  return format(text, { ...(await resolveConfig(join(root, 'package.json'))), parser: 'markdown' });
}

/** The compiler writes the members of a union in the order in which it met them, which depends on the files before. */
export function sorted(declarations: string): string {
  return declarations.replace(/'[^'\n]*'(?: \| '[^'\n]*')+/g, (union) => union.split(' | ').sort().join(' | '));
}

export function recordApi(root: string, entry: Pick<Entry, 'apiPage'>, page: string): void {
  mkdirSync(join(root, 'docs', 'api'), { recursive: true });
  writeFileSync(join(root, pathOf(entry)), page);
}

/** Empty: it equals the recorded one. */
export function apiProblems(root: string, entry: Pick<Entry, 'apiPage'>, page: string): string[] {
  const path = pathOf(entry);
  if (existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === page) return [];
  return [`${path} records another API: run npm run pack -- --record, and review what changed`];
}

function pathOf({ apiPage }: Pick<Entry, 'apiPage'>): string {
  return `docs/api/${apiPage}.md`;
}
