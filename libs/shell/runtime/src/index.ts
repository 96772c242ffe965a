export { DuePace } from './running/due-pace.ts';
export { type Percentiles } from './durations.ts';
export { otherKind } from './log-id.ts';
export { committedIn } from './offset-note.ts';
export { checkTokenEpoch } from './token-epoch.ts';
export { whyOtherLog } from './running/input-position.ts';
export type { ProbeLeg, ProbePlace } from './probing/probe-way.ts';
export type { ProbeStatus } from './probing/task-probe.ts';
export type { SilentOwner } from './probing/owner-watch.ts';
export { QUEUE_FILL_ALARM, STATE_FILL_ALARM, TASK_BOUNDS, type TaskBounds } from './limits.ts';
export { PipelineInstance, type PipelineInstanceParts } from './instance/pipeline-instance.ts';
export { ProcessShare } from './instance/process-share.ts';
export type {
  AsOf,
  EntryPage,
  EntryPageHow,
  EntryRow,
  LookUp,
  LookUpAtOnceHow,
  LookUpHow,
  ShowEntry,
} from './look-up.ts';
export type { Entropy, PipelinePorts, PipelineSettings, RuntimeLog, StartFrom, Turns } from './settings.ts';
export type { StandbyState, StandbyStatus } from './restoring/standby.ts';
export { MISPLACED_REMEDY } from './running/step-alarms.ts';
export { SHOWN_STATES } from './task-state.ts';
export type { InputStatus, TaskStatus } from './running/task-status.ts';
