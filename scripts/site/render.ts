// A page of the site: Markdown in, HTML out, and the sections that its search finds.
import { posix } from 'node:path';
import { type MarkdownParser } from './dependencies.ts';
import { placeOf } from './links.ts';
import { COMMANDS_PAGE, type Group } from './sidebar.ts';

/** Pages that do more on the site than they say as Markdown, each with a file beside `site.js`. */
export const SCRIPTS: ReadonlyMap<string, string> = new Map([['docs/CAPACITY.md', 'capacity.js']]);

/** A hit of the search: the text from a heading to the next. */
export interface Section {
  /** From the site's root, with its anchor. */
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** The body of a page; its headings have the anchors that a forge gives them. */
export function render(markdown: MarkdownParser, source: string, text: string): Rendered {
  const taken = new Map<string, number>();
  const parts: { anchor: string; heading: string; html: string }[] = [{ anchor: '', heading: '', html: '' }];
  for (const token of markdown.lexer(text)) {
    const html = markdown.parser([token]);
    if (token.type !== 'heading') {
      parts.at(-1)!.html += html;
      continue;
    }
    const heading = textOf(html).trim();
    const anchor = unique(slugOf(heading), taken);
    parts.push({ anchor, heading, html: html.replace(/^<h(\d)>/, `<h$1 id="${anchor}">`) });
  }
  const title = parts.find(({ heading }) => heading !== '')?.heading ?? source;
  const place = placeOf(source);
  return {
    title,
    html: parts.map(({ html }) => scrolling(html)).join(''),
    sections: parts
      .filter(({ html }) => html !== '')
      .map(({ anchor, heading, html }) => ({
        id: anchor === '' ? place : `${place}#${anchor}`,
        page: title,
        heading: heading === '' ? title : heading,
        text: textOf(html.replace(/^<h\d.*?<\/h\d>/s, '')).replaceAll(/\s+/g, ' '),
      })),
  };
}

/** The whole page. All addresses are relative: it opens from a folder. */
export function layOut(source: string, { title, html }: Rendered, side: readonly Group[]): string {
  const place = placeOf(source);
  const up = posix.relative(posix.dirname(place), '.');
  const base = up === '' ? '' : `${up}/`;
  const to = (target: string): string => posix.relative(posix.dirname(place), placeOf(target));
  const groups = side.map(({ title: name, pages }) => {
    const items = pages.map(([words, target]) => {
      const current = target === source ? ' aria-current="page"' : '';
      return `<li><a href="${to(target)}"${current}>${words}</a></li>`;
    });
    return `<h2>${name}</h2><ul>${items.join('')}</ul>`;
  });
  const own = SCRIPTS.get(source);
  const script = own === undefined ? '' : `\n<script src="${base}${own}" defer></script>`;
  const from = source === COMMANDS_PAGE ? "the command's own help" : source;
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Flatline</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}site.css">
<script src="${base}site.js" defer></script>${script}
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header><a class="name" href="${base}index.html">Flatline</a>
<div role="search"><input id="search" type="search" placeholder="Search" aria-label="Search these pages" autocomplete="off"><ol id="found" hidden></ol></div></header>
<div class="columns">
<details class="side" open><summary>Pages</summary><nav aria-label="Pages">${groups.join('')}</nav></details>
<main id="content">
${html}<footer>From ${escaped(from)}</footer>
</main>
</div>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function textOf(html: string): string {
  return html
    .replaceAll(/<!--.*?-->|<[^>]*>/gs, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function unique(slug: string, taken: Map<string, number>): string {
  const before = taken.get(slug);
  taken.set(slug, (before ?? 0) + 1);
  return before === undefined ? slug : `${slug}-${before}`;
}

/** A wide table scrolls by itself, and by the keyboard. */
function scrolling(html: string): string {
  return html
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}
