import type { TaskOptions } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import type { TaskBounds } from './limits.ts';
import type { EvictionShare } from './running/eviction-pace.ts';
import type { PipelinePorts, PipelineSettings } from './settings.ts';

/** One input of a task. */
export interface TaskInput extends TopicPartition {
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
}

/**
 * Place, settings and ports of one task or standby, made once for each (PipelineInstance) and handed on whole. What a part works
 * with besides is named beside the part.
 */
export interface TaskContext {
  readonly partition: number;
  /** The first input. */
  readonly input: TopicPartition;
  /** All of them. */
  readonly inputs: readonly TaskInput[];
  readonly changelog: TopicPartition;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  readonly bounds: TaskBounds;
  /** For the state machine that each restoration fills. */
  readonly taskOptions: TaskOptions;
  /** Present share of the changelog that the local store may lack: a killed process has to read that much again. */
  readonly flushBytes: () => number;
  readonly evictions: EvictionShare;
  /** Called for each error of the local store's device. */
  readonly onStoreError: () => void;
}

/** Fields of a log line that say where it comes from. */
export function placeInLog({ settings, partition }: TaskContext): { pipeline: string; partition: number } {
  return { pipeline: settings.name, partition };
}
