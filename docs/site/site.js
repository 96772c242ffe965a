/* global document */
// Search of the site: its index is a script, which loads from a folder too, and only once someone searches.
const base = document.documentElement.dataset.base;
const input = document.querySelector('#search');
const list = document.querySelector('#found');
const FOUND_MAX = 12;
/** Pages of history and of a package's inside come after those one uses it by. */
const INSIDE = /^(?:CHANGELOG|docs\/adr\/|libs\/|scripts\/)/;
const boostDocument = (id) => (INSIDE.test(id) ? 0.3 : 1);
let loading;

function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: `${base}search.js` });
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
  return loading;
}

async function search() {
  await load();
  const words = input.value.trim();
  const options = { prefix: true, combineWith: 'AND', boost: { heading: 3, page: 2 }, boostDocument };
  const found = words === '' ? [] : globalThis.siteIndex.search(words, options).slice(0, FOUND_MAX);
  list.replaceChildren(...found.map(itemOf));
  if (words !== '' && found.length === 0) list.append(line('li', 'Nothing has all these words.'));
  list.hidden = words === '';
}

function itemOf({ id, page, heading, excerpt }) {
  const link = line('a', heading === page ? page : `${page}: ${heading}`);
  link.href = base + id;
  const item = document.createElement('li');
  item.append(link, line('p', excerpt));
  return item;
}

function line(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

input.addEventListener('focus', () => void load());
input.addEventListener('input', () => void search());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true;
  if (event.key !== '/' || event.target === input) return;
  event.preventDefault();
  input.focus();
});
// On a phone the pages begin folded.
if (globalThis.matchMedia('(max-width: 800px)').matches) document.querySelector('.side').open = false;
