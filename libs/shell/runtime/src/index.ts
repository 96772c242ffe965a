export { DurationHistogram, type HistogramStatus } from './duration-histogram.ts';
export { type Percentiles } from './durations.ts';
export { whyOtherLog } from './running/input-position.ts';
export { STATE_FILL_ALARM, TASK_BOUNDS, type TaskBounds } from './instance/limits.ts';
export { PipelineInstance, type PipelineInstanceParts } from './instance/pipeline-instance.ts';
export type { Entropy, PipelinePorts, PipelineSettings, RuntimeLog, StartFrom, Turns } from './instance/settings.ts';
export type { StandbyState, StandbyStatus } from './restoring/standby-task.ts';
export { SHOWN_STATES } from './instance/task-state.ts';
export type { TaskStatus } from './instance/task-status.ts';
