import type { FlatlineConfig } from '@flatline/config';
import { largestRecords } from './largest-records.ts';
import type { PipelineTopics } from './topics/topic-requirements.ts';

/** The topics that the configuration's pipelines need. */
export function pipelineTopicsOf(config: FlatlineConfig): PipelineTopics[] {
  return config.pipelines.map((pipeline) => ({
    pipeline: pipeline.name,
    group: pipeline.group,
    ...(pipeline.deliveriesOf !== undefined && {
      follows: inputOf(config, pipeline.deliveriesOf),
      deliveriesOf: pipeline.deliveriesOf,
    }),
    input: pipeline.input.topic,
    timestampType: pipeline.input.timestampType,
    furtherInputs: pipeline.inputs?.slice(1) ?? [],
    writesInput: pipeline.proof === 'record',
    output: pipeline.output.topic,
    targets: pipeline.targets,
    routed: [...new Set((pipeline.routes ?? []).map(({ to }) => to))],
    changelog: pipeline.changelogTopic,
    deadLetters: pipeline.deadLetterTopic,
    largest: largestRecords(pipeline),
  }));
}

function inputOf({ pipelines }: FlatlineConfig, name: string): string | undefined {
  return pipelines.find((pipeline) => pipeline.name === name)?.input.topic;
}
