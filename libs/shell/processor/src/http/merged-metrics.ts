// Prometheus' text format of several processes as one: each metric once, its samples told apart by a label.
//
// Nothing is summed: what workers count moves with a partition and starts again with a worker, which a sum would hide from
// `rate()`. A query sums over the label, as over `instance`.

/** Metrics that one process exposes. */
export interface MetricsPart {
  /** Value of the label `worker`; undefined: its samples are left as they are. */
  readonly worker: string | undefined;
  readonly text: string;
}

interface Family {
  readonly head: Set<string>;
  readonly samples: string[];
}

export function mergedMetrics(parts: readonly MetricsPart[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of parts) {
    let family: Family | undefined;
    for (const line of text.split('\n')) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { head: new Set(), samples: [] };
        families.set(name, family);
        family.head.add(line);
      } else if (line !== '') family?.samples.push(worker === undefined ? line : labelled(line, worker));
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => [...head, ...samples].map((line) => `${line}\n`).join(''))
    .join('\n');
}

/** A metric's name holds neither a brace nor a blank. */
function labelled(sample: string, worker: string): string {
  const [, name = '', rest = ''] = /^([^{ ]+)(.*)$/.exec(sample) ?? [];
  const label = `worker="${worker}"`;
  return rest.startsWith('{') ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}
