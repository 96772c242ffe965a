/**
 * The life of a task on one instance.
 *
 *   created ──▶ restoring ◀─▶ running ◀──▶ recovering        (outcome of a commit unknown, or reading interrupted)
 *      │            │            │ │            │
 *      │            │            │ └──▶ draining ┤           (moved away, or leaving)
 *      │            │            ▼        │      │
 *      └────────────┴────────▶ stopped    ▼      ▼
 *                                 └───▶ closed ◀─┘
 *
 * From `running` back to `restoring`: a record made the task fail (I6). `stopped` is R3, C6 and I6: the partition cannot go on
 * without an operator; it holds no writer and says why.
 */
export type TaskState = 'created' | 'restoring' | 'running' | 'recovering' | 'draining' | 'stopped' | 'closed';

export const TASK_TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  created: ['restoring', 'stopped', 'closed'],
  restoring: ['running', 'stopped', 'closed'],
  running: ['restoring', 'recovering', 'draining', 'stopped', 'closed'],
  recovering: ['running', 'draining', 'stopped', 'closed'],
  draining: ['running', 'recovering', 'stopped', 'closed'],
  stopped: ['closed'],
  closed: [],
};
