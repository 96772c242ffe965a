import type { TopicPartition } from '@flatline/ports';
import type { PipelinePorts, PipelineSettings } from './settings.ts';

/** One partition of one pipeline, with the adapters and settings that a task or standby and their parts share. */
export interface TaskPlace {
  readonly partition: number;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
}

type Named<S extends keyof PipelineSettings> = Pick<TaskPlace, 'partition'> & {
  readonly settings: Pick<PipelineSettings, S>;
};

/** Fields of a log line that say where it comes from. */
export function placeInLog({ settings, partition }: Named<'name'>): { pipeline: string; partition: number } {
  return { pipeline: settings.name, partition };
}

export function inputOf({ settings, partition }: Named<'inputTopic'>): TopicPartition {
  return { topic: settings.inputTopic, partition };
}

export function changelogOf({ settings, partition }: Named<'changelogTopic'>): TopicPartition {
  return { topic: settings.changelogTopic, partition };
}
