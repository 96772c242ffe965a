// Licences of the contents of a bundle: their authors ask that these go with every copy.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCES = '{LICENSE,LICENCE,License,license,COPYING,NOTICE}{,.md,.txt,.markdown,-MIT}';

/** `THIRD-PARTY-NOTICES.md` for the files of node_modules that were bundled, by their paths relative to the root. */
export function noticesOf(root: string, inputs: readonly string[]): string {
  const notices = foldersOf(inputs).map((folder) => noticeOf(root, folder));
  return `# Third-party notices\n\nThis package contains code of:\n\n${notices.join('\n')}`;
}

/** Folders of the packages that bundled files are of. */
export function foldersOf(inputs: readonly string[]): readonly string[] {
  const folders = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

function noticeOf(root: string, folder: string): string {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const files = globSync(LICENCES, { cwd: join(root, folder) });
  const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  const { name, version, license } = manifest;
  if (texts.length === 0 && license === undefined) throw new Error(`${name} has no licence: do without it`);
  return [
    `## ${name} ${version} (${license ?? 'see below'})\n`,
    ...texts.map((text) => `\`\`\`text\n${text}\n\`\`\`\n`),
  ].join('\n');
}
