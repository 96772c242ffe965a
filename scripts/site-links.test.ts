import { expect, test } from '@jest/globals';
import { deadReferences, relink, placeOf } from './site/links.ts';

test('a dead page and a dead anchor are named with the page that refers to them; what leaves the site is not looked up', () => {
  const links = [
    '<a href="b.html">',
    '<a href="gone.html">',
    '<a href="b.html#there">',
    '<a href="b.html#not">',
    '<a href="#here">',
    '<a href="#nor">',
    '<a href="https://example.org/x#y">',
    '<img src="gone.png">',
    '<a href="../r.json#/figures/1">',
  ];
  const site = new Map<string, string | undefined>([
    ['docs/a.html', `<h2 id="here">${links.join('')}`],
    ['docs/b.html', '<h2 id="there">'],
    ['r.json', undefined],
  ]);
  expect(deadReferences(site)).toEqual([
    'docs/a.html refers to gone.html, which is not on the site',
    'docs/a.html refers to b.html#not, where no heading is called so',
    'docs/a.html refers to #nor, where no heading is called so',
    'docs/a.html refers to gone.png, which is not on the site',
  ]);
});

test.each([
  ['docs/A.md', '../README.md#limits', '../index.html#limits'],
  ['README.md', 'docs/adr/README.md', 'docs/adr/index.html'],
  ['docs/adr/1.md', '../x.svg', '../x.svg'],
  ['docs/adr/1.md', '../../infra/chart/', '../../infra/chart/index.html'],
  ['docs/A.md', '../infra/alerts.yaml', '../infra/alerts.yaml.txt'],
  ['docs/A.md', '#here', '#here'],
  ['docs/A.md', 'mailto:a@example.org', 'mailto:a@example.org'],
])('in %s a link to %s leads to %s', (page, address, expected) => {
  const place = (source: string): string => (source === 'infra/chart' ? `${source}/index.html` : placeOf(source));
  expect(relink(page, `<a href="${address}">`, place)).toBe(`<a href="${expected}">`);
});
