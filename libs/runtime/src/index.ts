export { type DeadLetterOrigin, readDeadLetter } from './dead-letter-record.ts';
export { type Percentiles } from './durations.ts';
export { TASK_BOUNDS, type TaskBounds } from './limits.ts';
export { PipelineInstance, type PipelineInstanceParts } from './pipeline-instance.ts';
export type { Entropy, PipelinePorts, PipelineSettings, RuntimeLog, StartFrom, Turns } from './settings.ts';
export type { StandbyState, StandbyStatus } from './standby-task.ts';
export { TASK_TRANSITIONS, type TaskState } from './task-state.ts';
export type { TaskStatus } from './task-status.ts';
export { systemClock } from './system-clock.ts';
