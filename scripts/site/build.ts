// Builds the site: every page of docs and whatever those refer to, as files that open from a folder.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type Dependencies } from './dependencies.ts';
import { deadReferences, placeOf, referencesOf, relink } from './links.ts';
import { layOut, type Rendered, render, SCRIPTS, type Section } from './render.ts';
import { COMMANDS_PAGE, type Group, sidebar } from './sidebar.ts';

/** How search reads the sections; `site.js` gives the same when it loads the index. */
const SEARCHED = { fields: ['heading', 'page', 'text'], storeFields: ['page', 'heading', 'excerpt'] };
const EXCERPT_CHARACTERS = 160;
const OWN_FILES = ['site.css', 'site.js', ...SCRIPTS.values()];

export interface Built {
  readonly pages: number;
  /** References to nothing; then nothing was written. */
  readonly dead: readonly string[];
}

/** `commands`: the page of commands, as Markdown. `out` is replaced. */
export function buildSite(root: string, out: string, commands: string, needed: Dependencies): Built {
  const side = sidebar(readFileSync(join(root, 'docs/SPEC.md'), 'utf8'));
  const { pages, files, folders } = collect(root, { commands, side }, needed);
  const place = (source: string): string => {
    if (!folders.has(source)) return placeOf(source);
    return posix.join(source, 'index.html');
  };
  const html = new Map(
    [...pages].map(([source, page]) => [place(source), layOut(source, relinked(source, page, place), side)]),
  );
  const site = new Map<string, string | undefined>([
    ...html,
    ...[...files].map((file) => [placeOf(file), undefined] as const),
  ]);
  for (const name of OWN_FILES) site.set(name, undefined);
  const dead = deadReferences(site);
  if (dead.length > 0) return { pages: pages.size, dead };
  rmSync(out, { recursive: true, force: true });
  for (const [path, text] of html) write(join(out, path), text);
  for (const file of files) {
    mkdirSync(dirname(join(out, placeOf(file))), { recursive: true });
    cpSync(join(root, file), join(out, placeOf(file)));
  }
  for (const name of OWN_FILES) cpSync(join(root, 'docs/site', name), join(out, name));
  write(
    join(out, 'search.js'),
    needed.searchScript +
      indexOf(
        [...pages.values()].flatMap(({ sections }) => sections),
        needed,
      ),
  );
  return { pages: pages.size, dead };
}

function relinked(source: string, page: Rendered, place: (source: string) => string): Rendered {
  return { ...page, html: relink(source, page.html, place) };
}

interface Collected {
  readonly pages: ReadonlyMap<string, Rendered>;
  /** Files that are no pages, and folders, that a page refers to. */
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

interface Given {
  /** The page of commands, as Markdown. */
  readonly commands: string;
  readonly side: readonly Group[];
}

/** All pages of docs and of the sidebar, and what they refer to, and so on. */
function collect(root: string, { commands, side }: Given, { markdown }: Dependencies): Collected {
  const pages = new Map<string, Rendered>();
  const files = new Set<string>();
  const folders = new Set<string>();
  const add = (source: string, text: string): void => {
    const page = render(markdown, source, text);
    pages.set(source, page);
    waiting.push(...referencesOf(source, page.html));
  };
  const all = globSync('docs/**/*.md', { cwd: root, exclude: (path) => path.includes('node_modules') });
  const waiting = [...side.flatMap((group) => group.pages.map(([, source]) => source)), ...all.toSorted()];
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    if (pages.has(source) || files.has(source) || folders.has(source)) continue;
    const path = join(root, source);
    if (source !== COMMANDS_PAGE && !existsSync(path)) continue; // The check of references names it.
    if (source !== COMMANDS_PAGE && statSync(path).isDirectory()) {
      folders.add(source);
      const index = posix.join(source, 'README.md');
      if (existsSync(join(root, index))) waiting.push(index);
      else add(index, listing(source, path));
    } else if (!source.endsWith('.md')) files.add(source);
    else add(source, source === COMMANDS_PAGE ? commands : readFileSync(path, 'utf8'));
  }
  return { pages, files, folders };
}

/** The page of a folder that has none. */
function listing(source: string, path: string): string {
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  return `# ${source}\n\n${names
    .toSorted()
    .map((name) => `- [${name}](${name})\n`)
    .join('')}`;
}

function indexOf(sections: readonly Section[], { SearchIndex }: Dependencies): string {
  const index = new SearchIndex(SEARCHED);
  index.addAll(sections.map((section) => ({ ...section, excerpt: section.text.slice(0, EXCERPT_CHARACTERS) })));
  const options = JSON.stringify(SEARCHED);
  return `\nglobalThis.siteIndex = MiniSearch.loadJSON(${JSON.stringify(JSON.stringify(index))}, ${options});\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
