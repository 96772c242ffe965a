/**
 * The life of a task on one instance.
 *
 *   created ──▶ restoring ◀──▶ running ◀──▶ draining        (moved away, or leaving)
 *                   │             │             │
 *                   └─────────────┴─────────────┴──▶ stopped
 *   any ──▶ closed
 *
 * From `running` back to `restoring`: a record made the task fail (I6). `stopped` is R3, C6 and I6: the partition cannot go on
 * without an operator; it holds no writer and says why, until it is told to try again, or
 * tries by itself where the brokers may have been mended.
 */
export type TaskState = 'created' | 'restoring' | 'running' | 'draining' | 'stopped' | 'closed';

export const TASK_TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  created: ['restoring', 'closed'],
  restoring: ['running', 'stopped', 'closed'],
  running: ['restoring', 'draining', 'stopped', 'closed'],
  draining: ['running', 'stopped', 'closed'],
  stopped: ['restoring', 'closed'],
  closed: [],
};

/** What an operator sees: `recovering` is a task that runs while the outcome of its commit is being found out. */
export type ShownState = TaskState | 'recovering';

export const SHOWN_STATES: readonly ShownState[] = [...(Object.keys(TASK_TRANSITIONS) as TaskState[]), 'recovering'];
