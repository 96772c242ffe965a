// Checks of routes (P3): what one may say, and that none leads back to where it began.
import { didYouMean } from '@flatline/base';
import { kindOf, type PipelineSection } from '@flatline/kind-modules';
import { type CrossFinding, finding } from './cross-finding.ts';
import type { Configuration } from './schema.ts';

type Route = NonNullable<PipelineSection['routes']>[number];

/** Written by Flatline, on each record that is routed. */
const OWN_HEADER = 'flatline-route';

export function routeChecks({ pipelines }: Configuration): CrossFinding[] {
  return pipelines.flatMap((pipeline, i) => {
    const at = `pipelines[${i}]`;
    const { routes = [] } = pipeline;
    return [
      ...formatChecks(pipeline, at),
      ...routes.flatMap((route, n) => [
        ...ofRoute(route, pipeline, `${at}.routes[${n}]`),
        ...loopChecks(pipelines, { pipeline: i, route: n }),
      ]),
    ];
  });
}

function formatChecks({ routes, output }: PipelineSection, at: string): CrossFinding[] {
  if (routes === undefined || output.format === 'json') return [];
  return [
    finding(`${at}.output.format`, output.format, '"json" where there are routes: pointers lead into JSON (rule P3)', [
      `${at}.routes`,
    ]),
  ];
}

function ofRoute(
  { on = [], key, value, headers, record, version }: Route,
  { kind }: PipelineSection,
  at: string,
): CrossFinding[] {
  const said = kindOf({ kind }).said.all;
  const unknown = on.flatMap((name, i) =>
    said.includes(name)
      ? []
      : [
          finding(`${at}.on[${i}]`, name, `outputs of kind "${kind}" say ${said.join(', ')}${didYouMean(name, said)}`, [
            `${at}.on`,
          ]),
        ],
  );
  const own = Object.keys(headers ?? {}).filter((name) => name === OWN_HEADER);
  const reserved = own.map((name) =>
    finding(`${at}.headers`, name, `another header: ${OWN_HEADER} says which output brought the record about`),
  );
  const beside = Object.entries({ key, value, headers }).flatMap(([name, set]) =>
    record === undefined || set === undefined
      ? []
      : [finding(`${at}.${name}`, undefined, 'left out beside record: the function says all of it', [`${at}.record`])],
  );
  const alone =
    record !== undefined || version === undefined
      ? []
      : [
          finding(`${at}.version`, version, 'left out without record: it is the version of that function', [
            `${at}.record`,
          ]),
        ];
  return [...unknown, ...reserved, ...beside, ...alone];
}

/** A loop would never end: each output would bring about the next one's cause. */
function loopChecks(
  pipelines: readonly PipelineSection[],
  from: { readonly pipeline: number; readonly route: number },
): CrossFinding[] {
  const { to } = pipelines[from.pipeline]!.routes![from.route]!;
  const way = wayBack(pipelines, to, from.pipeline);
  if (way === undefined) return [];
  const names = [from.pipeline, ...way].map((i) => pipelines[i]!.name).join(' → ');
  const problem = `a topic from which nothing leads back here: ${names} would go round for ever (rule P3)`;
  return [finding(`pipelines[${from.pipeline}].routes[${from.route}].to`, to, problem, ['pipelines'])];
}

/** Pipelines from one that reads the topic to `goal`; undefined: nothing leads there. */
function wayBack(pipelines: readonly PipelineSection[], topic: string, goal: number): readonly number[] | undefined {
  const seen = new Set<number>();
  const search = (leads: readonly string[]): readonly number[] | undefined => {
    for (const [i, pipeline] of pipelines.entries()) {
      if (seen.has(i) || ![pipeline.input].flat().some((input) => leads.includes(input.topic))) continue;
      if (i === goal) return [i];
      seen.add(i);
      const rest = search(topicsBehind(pipeline));
      if (rest !== undefined) return [i, ...rest];
    }
    return undefined;
  };
  return search([topic]);
}

/** Topics of others to which its records go. */
function topicsBehind(pipeline: PipelineSection): readonly string[] {
  const { targets } = kindOf(pipeline).resolve(pipeline, { reducers: {} });
  return [...(pipeline.routes ?? []).map(({ to }) => to), ...targets];
}
