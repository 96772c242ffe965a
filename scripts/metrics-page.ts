// `npm run metrics-page`: writes the table of docs/METRICS.md, between its marks. A test of the processor compares it.
import { metricTable } from '@flatline/processor/metric-rows';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const path = fileURLToPath(new URL('../docs/METRICS.md', import.meta.url));
const page = readFileSync(path, 'utf8').replace(
  /(<!-- metrics -->)[^]*(<!-- end -->)/,
  (_, begin: string, end: string) => `${begin}\n\n${metricTable()}\n\n${end}`,
);
writeFileSync(path, await format(page, { ...(await resolveConfig(path)), filepath: path }));
