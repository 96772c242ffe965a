import type { KindName } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { usageFailure } from './failure.ts';

/** The pipeline that `--pipeline` names, or the only one there is. @throws CommandFailure */
export function pipelineNamed({ pipelines }: FlatlineConfig, name: string | undefined): PipelineConfig {
  return onlyOf(pipelines, pipelines, name);
}

/** The same among those of a kind. @throws CommandFailure */
export function pipelineOfKind<Kind extends KindName>(
  { pipelines }: FlatlineConfig,
  kind: Kind,
  name: string | undefined,
): PipelineConfig & { readonly kind: Kind } {
  const other = pipelines.find((pipeline) => pipeline.name === name && pipeline.kind !== kind);
  if (other !== undefined) throw usageFailure(`--pipeline ${other.name}: it is of kind "${other.kind}", not "${kind}"`);
  const ofKind = pipelines.filter(
    (each) => each.kind === kind && (each.deliveriesOf === undefined || each.name === name),
  );
  if (ofKind.length === 0) {
    const others = pipelines.map((each) => `${each.name} (${each.kind})`).join(', ');
    throw usageFailure(`the configuration has no pipeline of kind "${kind}", only ${others}`);
  }
  return onlyOf(ofKind, pipelines, name) as PipelineConfig & { readonly kind: Kind };
}

function onlyOf(
  among: readonly PipelineConfig[],
  all: readonly PipelineConfig[],
  name: string | undefined,
): PipelineConfig {
  // A pipeline that keeps another's deliveries is meant only where it is named.
  const found = among.filter((each) => (name === undefined ? each.deliveriesOf === undefined : each.name === name));
  const namesOf = (pipelines: readonly PipelineConfig[]): string => pipelines.map((each) => each.name).join(', ');
  if (found.length === 0) throw usageFailure(`--pipeline ${name ?? ''}: the configuration has ${namesOf(all)}`);
  if (found.length > 1) throw usageFailure(`which pipeline? Give --pipeline: the configuration has ${namesOf(found)}`);
  return found[0]!;
}
