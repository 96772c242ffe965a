import type { TopicPartition } from '@flatline/ports';
import type { PipelinePorts, PipelineSettings } from './settings.ts';

/** One partition of one pipeline, and the way to the world: where a task, a standby and all they are made of belong. */
export interface TaskPlace {
  readonly partition: number;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
}

type Named<S extends keyof PipelineSettings> = Pick<TaskPlace, 'partition'> & {
  readonly settings: Pick<PipelineSettings, S>;
};

/** What a line of the log says of where it comes from. */
export function placeInLog({ settings, partition }: Named<'name'>): { pipeline: string; partition: number } {
  return { pipeline: settings.name, partition };
}

export function inputOf({ settings, partition }: Named<'inputTopic'>): TopicPartition {
  return { topic: settings.inputTopic, partition };
}

export function changelogOf({ settings, partition }: Named<'changelogTopic'>): TopicPartition {
  return { topic: settings.changelogTopic, partition };
}
