// `npm run site [-- --out FOLDER]`: the pages of this repository as a site that opens from a folder and searches offline. Exit code 1
// where a page refers to nothing.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { buildSite } from './build.ts';
import { dependencies } from './dependencies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, '.flatline/site') } } });

const needed = await dependencies(root);
const helpPage = ['--conditions=@flatline/source', join(root, 'apps/cli/src/developer/help-page.ts')];
const { stdout: commands } = await promisify(execFile)(process.execPath, helpPage, { cwd: root });
const { pages, dead } = buildSite(root, values.out, commands, needed);
for (const each of dead) console.error(each);
if (dead.length > 0) console.error(`${dead.length} dead references: correct them; no site was written`);
else console.log(`${pages} pages: open ${join(values.out, 'index.html')}`);
process.exitCode = dead.length > 0 ? 1 : 0;
