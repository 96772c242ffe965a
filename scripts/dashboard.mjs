// Bundles the dashboard into apps/dashboard/dist, which a checkout's processor serves and packages carry. Plain JavaScript: it runs
// as soon as there are dependencies, by whatever Node there is.
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'apps', 'dashboard', 'src');
const made = join(root, 'apps', 'dashboard', 'dist');
const files = ['dashboard.html', 'dashboard.css', 'dashboard.js', 'inputs.json'];

/** Makes its files unless they are newer than all that they are made of. */
export async function bundleDashboardOnce() {
  const oldest = Math.min(...files.map((name) => timeOf(join(made, name))));
  const sources = readdirSync(source, { recursive: true }).map((name) => join(source, name));
  const newest = Math.max(...[...sources, join(root, 'package-lock.json')].map(timeOf));
  if (newest >= oldest) await bundleDashboard();
}

async function bundleDashboard() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: join(source, 'main.ts'), out: 'dashboard' },
      { in: join(source, 'style.css'), out: 'dashboard' },
      { in: join(source, 'page.html'), out: 'dashboard' },
    ],
    outdir: made,
    loader: { '.html': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(made, { recursive: true });
  // The parts in them, for the notices and the list of parts of the packages.
  const inputs = { path: join(made, 'inputs.json'), contents: JSON.stringify(Object.keys(metafile.inputs)) };
  for (const { path, contents } of [...outputFiles, inputs]) {
    // Another command may make them at the same time: a file is there whole, or not.
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}

/** Milliseconds; 0 where there is none. */
function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
