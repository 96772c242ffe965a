// Figures in prose must equal those of their reports: a link with a figure as text, and as target its place in a report,
// such as [20 ms](benchmarks/latency.json#/figures/contender=flatline,load=idle/p50Ms). Passages about costs allow no other figures,
// nor fractions in words; other passages none that is about right: a limit is exact, so what is "some 20 ms" was measured.
import { type Finding } from './finding.ts';
import { linesOf } from './page-references.ts';
import { folderOf, joinPath, parseJson, type Tree, type Workspace } from './workspace.ts';

/** Reports, and pages of what was so once. */
const HISTORY = /^(?:docs\/(?:benchmarks|adr)\/|docs\/chaos-report\.md|CHANGELOG\.md)/;
/** Passages in which every figure must be a report's: all of this page, and below this heading on others. */
const TELLS_COSTS = 'docs/PERFORMANCE.md';
const COSTS_HEADING = /^#+ What it costs$/;

const LINKED = /\[([^\]]*)\]\(([^)\s#]*\.json)#([^)\s]*)\)/g;
const UNIT = String.raw`(?:ns|µs|ms|s|bytes|kB|MB|GB|k|M)`;
const FIGURE = new RegExp(String.raw`^(\d[\d.]*)(?: (${UNIT}))?(?: ×)?$`);
const LOOSE = new RegExp(String.raw`\d[\d.]*(?: ?×| (?:${UNIT}|times|per CPU second)\b)`);
const FRACTION = /\b(?:half|halve[sd]?|thirds?|quarters?|fifths?|tenths?)\b/;
const APPROXIMATE = new RegExp(
  String.raw`\b(?:some|about|around|nearly|roughly|almost) \d[\d.,  ]*(?:×|%|${UNIT}\b|times\b)`,
);
/** A goal is no measurement. */
const GOAL = /\((?:target|goal)[^()]*\)/g;
/** Computed from assumptions; scripts/site-capacity.test.ts compares it with its form. */
const MODEL = 'docs/CAPACITY.md';

/** Factors to nanoseconds and bytes. */
const SCALES: Readonly<Record<string, number>> = {
  ns: 1,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  bytes: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  k: 1e3,
  M: 1e6,
};
const TIMES: Readonly<Record<string, string>> = { Ns: 'ns', Us: 'µs', Ms: 'ms' };

export function quotedFigures({ tree }: Workspace): Finding[] {
  const pages = [...tree.keys()].filter((path) => path.endsWith('.md') && !HISTORY.test(path));
  return pages.flatMap((page) => {
    let tellsCosts = page === TELLS_COSTS;
    return linesOf(tree, page).flatMap(({ text, isFenced }, index) => {
      if (isFenced) return [];
      if (text.startsWith('#') && page !== TELLS_COSTS) tellsCosts = COSTS_HEADING.test(text);
      const said = [...text.matchAll(LINKED)].flatMap(([, figure = '', target = '', place = '']) =>
        misquoted(tree, joinPath(folderOf(page), target), place, figure),
      );
      const unbound = page === MODEL ? [] : loose(text, tellsCosts ? [LOOSE, FRACTION] : [APPROXIMATE]);
      return [...said, ...unbound].map((message) => ({ at: `${page}:${index + 1}`, message }));
    });
  });
}

function loose(text: string, patterns: readonly RegExp[]): string[] {
  const prose = text.replaceAll(GOAL, '').replaceAll(/\[[^\]]*\]\([^)]*\)|`[^`]*`/g, '');
  const remedy = 'link it to the place of a report that says so, as in scripts/tidy/quoted-figures.ts, or leave it out';
  return patterns
    .flatMap((pattern) => pattern.exec(prose)?.[0] ?? [])
    .map((found) => `says ${found}, which no test compares with a report: ${remedy}`);
}

function misquoted(tree: Tree, report: string, place: string, figure: string): string[] {
  const found = valueAt(parseJson(tree, report), place);
  if (found === undefined) return [`quotes ${report}#${place}, where there is no figure`];
  const shown = FIGURE.exec(figure);
  if (shown === null) return [`quotes ${report} as ${figure}: write a number, and its unit`];
  const [, digits = '', unit] = shown;
  const scale = unit === undefined ? 1 : SCALES[unit]! / SCALES[unitOf(place)]!;
  const step = 10 ** -(digits.split('.')[1]?.length ?? 0);
  const isSaid = Math.abs(found / scale - Number(digits)) <= step / 2 + Number.EPSILON * found;
  return isSaid ? [] : [`says ${figure}, and ${report} ${found}: correct it`];
}

/** The unit in the field's name: `cpuNsPerBeat`, `p50Ms`; other fields are counts, of bytes or things. */
function unitOf(place: string): string {
  const [, time] = /(Ns|Us|Ms)(?:Per[A-Z]\w*)?(?:\/(?:median|min|max))?$/.exec(place) ?? [];
  return time === undefined ? 'bytes' : TIMES[time]!;
}

/** Follows the place: fields by name, elements of lists by their content (`contender=flatline,load=idle`). Of a spread, the median. */
function valueAt(report: unknown, place: string): number | undefined {
  let at: unknown = report;
  for (const step of place.split('/').slice(1).map(decodeURIComponent)) {
    if (Array.isArray(at)) at = at.find((each) => matches(each as object, step));
    else at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
  }
  const value = typeof at === 'object' && at !== null && 'median' in at ? at.median : at;
  return typeof value === 'number' ? value : undefined;
}

function matches(element: object, wanted: string): boolean {
  return wanted.split(',').every((each) => {
    const [name = '', value] = each.split('=');
    return String((element as Readonly<Record<string, unknown>>)[name]) === value;
  });
}
