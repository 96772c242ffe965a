import type { FlatlineConfig } from '@flatline/config';
import { largestRecords, targetsOf } from './pipeline-kinds.ts';
import type { PipelineTopics } from './topics/topic-requirements.ts';

/** The topics that the configuration's pipelines need. */
export function pipelineTopicsOf(config: FlatlineConfig): PipelineTopics[] {
  return config.pipelines.map((pipeline) => ({
    pipeline: pipeline.name,
    group: pipeline.group,
    input: pipeline.input.topic,
    timestampType: pipeline.input.timestampType,
    writesInput: pipeline.proof === 'record',
    output: pipeline.output.topic,
    targets: targetsOf(pipeline),
    changelog: pipeline.changelogTopic,
    deadLetters: pipeline.deadLetterTopic,
    largest: largestRecords(pipeline),
  }));
}
