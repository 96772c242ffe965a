// Checks `ingest` against the pipelines.
import type { KindName } from '@flatline/base';
import { kindOf, presetWords } from '@flatline/kind-modules';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { type CrossFinding, finding } from './cross-finding.ts';
import { pingIntervalOf, PINGS_PER_TIMEOUT, shortestSilence } from './ping-interval.ts';
import type { Configuration } from './schema.ts';

export function ingestChecks(config: Configuration): CrossFinding[] {
  const { ingest, pipelines } = config;
  if (ingest === undefined) return [];
  const silent = pipelines.findIndex(
    (each) => kindOf(each).obeys.severalInputs && [each.input].flat()[0]?.touches === false,
  );
  if (silent >= 0) {
    const problem =
      'true where there is ingest: heartbeats over HTTP go to the first input. Put it in another place of the list';
    return [finding(`pipelines[${silent}].input[0].touches`, false, problem, ['ingest'])];
  }
  const unnamed = ingest.pipelines === undefined ? [] : nameChecks(ingest.pipelines, pipelines);
  if (unnamed.length > 0) return unnamed;
  if (pipelines.every(takesNothing)) {
    const kinds = [...new Set(pipelines.map(({ kind }) => kind))];
    const problem = `${notAskedFor(kinds)}, and there is no pipeline of another kind`;
    return [finding('ingest', undefined, problem, ['pipelines'])];
  }
  return pingChecks(config, ingest);
}

function nameChecks(names: readonly string[], pipelines: Configuration['pipelines']): CrossFinding[] {
  return names.flatMap((name, i) => {
    const found = pipelines.find((each) => each.name === name);
    if (found !== undefined && !takesNothing(found)) return [];
    const problem =
      found === undefined
        ? `a pipeline of this configuration: ${pipelines.map((each) => each.name).join(', ')}`
        : `a pipeline of another kind: ${notAskedFor([found.kind])}`;
    return [finding(`ingest.pipelines[${i}]`, name, problem, ['pipelines'])];
  });
}

function takesNothing(pipeline: { readonly kind: KindName }): boolean {
  return typeof kindOf(pipeline).intake === 'string';
}

function notAskedFor(kinds: readonly KindName[]): string {
  return `${kinds.map((kind) => `${KIND_WORDS[kind].noun}s`).join(' and ')} are not asked for over HTTP`;
}

type Ingest = NonNullable<Configuration['ingest']>;

function pingChecks({ pipelines }: Configuration, ingest: Ingest): CrossFinding[] {
  const shortest = shortestSilence(pipelines);
  if (shortest === undefined) return [];
  const { section, silenceMs } = shortest;
  const pingIntervalMs = pingIntervalOf(ingest, pipelines);
  if (pingIntervalMs * PINGS_PER_TIMEOUT <= silenceMs) return [];
  const source = presetWords({ ...section }, ['timeoutMs']);
  const problem = `at most half of the shortest timeoutMs (${silenceMs}): a socket's pings are its heartbeats${source}`;
  return [finding('ingest.pingIntervalMs', pingIntervalMs, problem, ['pipelines'])];
}
