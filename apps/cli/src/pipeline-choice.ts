import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { usageFailure } from './failure.ts';

/** The pipeline that `--pipeline` names, or the only one there is. @throws CommandFailure */
export function pipelineNamed({ pipelines }: FlatlineConfig, name: string | undefined): PipelineConfig {
  const names = pipelines.map((pipeline) => pipeline.name).join(', ');
  const found = pipelines.filter((pipeline) => name === undefined || pipeline.name === name);
  if (found.length === 0) throw usageFailure(`--pipeline ${name ?? ''}: the configuration has ${names}`);
  if (found.length > 1) throw usageFailure(`which pipeline? Give --pipeline: the configuration has ${names}`);
  return found[0]!;
}
