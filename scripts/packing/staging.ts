// Puts one package together in a folder, as npm packs it.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { manifestOf } from './manifest.ts';
import { foldersOf, noticesOf } from './notices.ts';
import { fileNameOf, type Published, sbomFileOf, stagingOf, versionOf } from './published.ts';
import { lockedPackages, sbomOf } from './sbom.ts';

/**
 * Makes the folder with the package, `declarations` by the names of their files. Removes its former content. Beside it the list
 * of all that it brings along (SBOM).
 */
export async function stage(
  root: string,
  published: Published,
  declarations: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(stagingOf(root), fileNameOf(published));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundled = await bundle(root, published, folder);
  const { imported } = bundled;
  const inputs = [...bundled.inputs, ...(published.hasDashboard === true ? addDashboard(root, folder) : [])];
  for (const [file, text] of Object.entries(declarations)) writeFileSync(join(folder, 'dist', `${file}.d.ts`), text);
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify(manifestOf(root, published, imported), undefined, 2)}\n`,
  );
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), noticesOf(root, inputs));
  const content = {
    name: published.name,
    version: versionOf(root),
    dependencies: imported,
    bundled: foldersOf(inputs),
  };
  writeFileSync(
    sbomFileOf(root, published),
    `${JSON.stringify(sbomOf(lockedPackages(root), content), undefined, 2)}\n`,
  );
  for (const file of [
    'LICENSE',
    'CHANGELOG.md',
    ...globSync('schemas/*.avsc', { cwd: root }),
    ...(published.files ?? []),
  ])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, 'NOTICE'), noticeOf(readFileSync(join(root, 'NOTICE'), 'utf8')));
  cpSync(join(root, published.folder, 'package'), folder, { recursive: true });
  return folder;
}

/** Files that are in the dashboard's script, as `Bundle.inputs`. */
function addDashboard(root: string, folder: string): readonly string[] {
  const made = join(root, 'apps/dashboard/dist');
  for (const file of ['dashboard.html', 'dashboard.css', 'dashboard.js'])
    cpSync(join(made, file), join(folder, 'dashboard', file));
  return JSON.parse(readFileSync(join(made, 'inputs.json'), 'utf8')) as readonly string[];
}

/** Without the parts that only a checkout contains. */
function noticeOf(notice: string): string {
  return `${notice.split('\n\nIt contains')[0]!.trimEnd()}\n`;
}
