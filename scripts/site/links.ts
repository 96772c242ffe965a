// Where the links of a page lead on the site, and which lead nowhere.
import { posix } from 'node:path';

/** A reference inside rendered HTML: attribute, address without its anchor, and the anchor with its `#`. */
const REFERENCE = /\b(href|src)="([^"#]*)(#[^"]*)?"/g;
/** `https:`, `mailto:` and others that leave the site. */
const ELSEWHERE = /^(?:[a-z][a-z+.-]*:|\/\/)/i;
/** A browser shows these as they are; other files are text to it. */
const SHOWN = /\.(?:png|svg|json|html)$/;

/** The file of the site, from its root, that a file or folder of the repository becomes. */
export function placeOf(source: string): string {
  if (source.endsWith('.md')) return source.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
  return SHOWN.test(source) ? source : `${source}.txt`;
}

/** The file or folder that an address names, seen from the file it stands in; undefined: it leaves the site or is an anchor only. */
function sourceOf(from: string, address: string): string | undefined {
  if (address === '' || ELSEWHERE.test(address)) return undefined;
  return posix.join(posix.dirname(from), decodeURI(address)).replace(/\/$/, '');
}

/** All files and folders of the repository that a page refers to. */
export function referencesOf(from: string, html: string): string[] {
  return [...html.matchAll(REFERENCE)].flatMap(([, , address = '']) => sourceOf(from, address) ?? []);
}

/** The page with each reference to the repository led to its place on the site. `place`: where a file or folder lies there. */
export function relink(from: string, html: string, place: (source: string) => string): string {
  const folder = posix.dirname(place(from));
  return html.replaceAll(REFERENCE, (whole, attribute: string, address: string, anchor = '') => {
    const source = sourceOf(from, address);
    return source === undefined ? whole : `${attribute}="${posix.relative(folder, place(source))}${anchor}"`;
  });
}

/**
 * Each dead reference, with the page that has it. `site`: pages by their place, other files with undefined. Places inside reports
 * (`#/figures/…`) are left to tidy.
 */
export function deadReferences(site: ReadonlyMap<string, string | undefined>): string[] {
  const anchors = new Map([...site].map(([path, html]) => [path, html === undefined ? undefined : anchorsOf(html)]));
  return [...site].flatMap(([page, html = '']) =>
    [...html.matchAll(REFERENCE)].flatMap(([, , address = '', anchor]) => {
      const path = address === '' ? page : sourceOf(page, address);
      if (path === undefined) return [];
      if (!site.has(path)) return [`${page} refers to ${address}, which is not on the site`];
      const known = anchors.get(path);
      if (known === undefined || anchor === undefined || known.has(decodeURI(anchor.slice(1)))) return [];
      return [`${page} refers to ${address}${anchor}, where no heading is called so`];
    }),
  );
}

function anchorsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id));
}
