// `npm run configuration-page`: writes the tables of the kinds' settings in docs/CONFIGURATION.md, between their marks. A test of
// kind-modules compares them.
import { KIND_NAMES, type KindName } from '@flatline/base';
import { settingRows } from '@flatline/kind-modules/rows';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const path = fileURLToPath(new URL('../docs/CONFIGURATION.md', import.meta.url));

const page = KIND_NAMES.reduce(withTable, readFileSync(path, 'utf8'));
writeFileSync(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));

function withTable(text: string, kind: KindName): string {
  const begin = `<!-- settings: ${kind} -->`;
  const from = text.indexOf(begin);
  const until = text.indexOf('<!-- end -->', from);
  if (from < 0 || until < 0)
    throw new Error(`${path} has no "${begin}" … "<!-- end -->": put them where the table goes`);
  const rows = settingRows(kind).map(
    ({ setting, default: byDefault, allowed, meaning }) =>
      `| \`pipelines[].${setting}\` | ${byDefault} | ${allowed} | ${meaning} |`,
  );
  const table = ['| setting | default | allowed | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(until)}`;
}
