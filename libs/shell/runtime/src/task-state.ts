// The life of a task on one instance, as data: a state carries what is its own, and TRANSITIONS is total.
//
//   created ──▶ restoring ◀──▶ running ◀──▶ draining        (moved away: runs on until fenced)
//                  │   ▲           │
//                  ▼   │           │
//                 stopped ◀────────┘
//   any but closed ──▶ closing ──▶ closed
//
// From `running` back to `restoring`: a record made the task fail (I6). `stopped` is R3, C6 and I6: the partition cannot go
// on without an operator; it holds no writer and says why, until it is told to try again, or tries by itself where the
// brokers may have been mended.
//
// Invariants
//   LX1  What a state waits for ends with it: the runner arms one timer, for the state that it is in.
//   LX2  What is let go never comes back: from `closing` only `closed` follows, from `closed` nothing.
//   LX3  A partition that is to move away neither stops for an operator nor is brought up again: its next owner decides.
import { AssertionError, type DurationMs } from '@flatline/base';

export interface TaskStates {
  readonly created: { readonly kind: 'created' };
  readonly restoring: {
    readonly kind: 'restoring';
    /** Given to another member meanwhile: obeyed once it runs, or before the next try. */
    readonly isToMove: boolean;
    /** Error of the last try, or the record that made the task fail. */
    readonly detail: string | undefined;
    readonly cutsWhenBack: number | undefined;
  };
  /**
   * `cutsWhenBack`: cuts that its task had settled when the group gave it back last, after another may have owned it; undefined: none
   * has. Until one more is settled, the task may be behind the log.
   */
  readonly running: { readonly kind: 'running'; readonly cutsWhenBack: number | undefined };
  /** Until the next owner fences it, and no longer. Monotonic. */
  readonly draining: { readonly kind: 'draining'; readonly untilMs: DurationMs };
  /** When it tries again by itself. Monotonic; undefined: only when it is told to. */
  readonly stopped: { readonly kind: 'stopped'; readonly detail: string; readonly retryAtMs: DurationMs | undefined };
  readonly closing: { readonly kind: 'closing'; readonly detail: string | undefined };
  readonly closed: { readonly kind: 'closed' };
}

export type TaskState = TaskStates[keyof TaskStates];

interface TaskEvents {
  /** From nothing, from a stop, or after a record that made it fail, which `why` then names. */
  readonly bringUp: { readonly kind: 'bringUp'; readonly why: string | undefined };
  /** A try to restore failed; another one follows. */
  readonly obstructed: { readonly kind: 'obstructed'; readonly why: string };
  readonly restored: { readonly kind: 'restored' };
  /** The group gave it to another member. */
  readonly moveAway: { readonly kind: 'moveAway'; readonly untilMs: DurationMs };
  /** The group gave it back. `settledCuts`: of its task, where another may have owned it meanwhile; undefined: none took it. */
  readonly comeBack: { readonly kind: 'comeBack'; readonly settledCuts: number | undefined };
  readonly stop: { readonly kind: 'stop'; readonly why: string; readonly retryAtMs: DurationMs | undefined };
  readonly close: { readonly kind: 'close' };
  /** All that it held is released. */
  readonly released: { readonly kind: 'released' };
}

export type TaskEvent = TaskEvents[keyof TaskEvents];

type Transition<S extends keyof TaskStates, E extends keyof TaskEvents> = (
  state: TaskStates[S],
  event: TaskEvents[E],
) => TaskState;

type Transitions = {
  readonly [S in keyof TaskStates]: { readonly [E in keyof TaskEvents]: Transition<S, E> };
};

const stay = <S extends TaskState>(state: S): S => state;
const close = (): TaskState => ({ kind: 'closing', detail: undefined });
const closeAs = ({ detail }: { readonly detail: string | undefined }): TaskState => ({ kind: 'closing', detail });
const stop = (_: unknown, { why, retryAtMs }: TaskEvents['stop']): TaskState => {
  return { kind: 'stopped', detail: why, retryAtMs };
};
const closeFor = (_: unknown, { why }: TaskEvents['stop']): TaskState => ({ kind: 'closing', detail: why });
const restore = (_: unknown, { why }: TaskEvents['bringUp']): TaskState => {
  return { kind: 'restoring', isToMove: false, detail: why, cutsWhenBack: undefined };
};
const run = (cutsWhenBack: number | undefined): TaskState => ({ kind: 'running', cutsWhenBack });
const impossible = (state: TaskState, event: TaskEvent): never => {
  throw new AssertionError('a task changes state along its table', { state: state.kind, event: event.kind });
};

/** Neither restoring nor let go: there is nothing that a try could meet. */
const NO_TRY = { obstructed: impossible, restored: impossible } as const;
const GONE = { moveAway: stay, comeBack: stay, stop: stay, bringUp: stay, obstructed: stay, restored: stay } as const;

const TRANSITIONS: Transitions = {
  created: {
    ...NO_TRY,
    bringUp: restore,
    moveAway: close,
    comeBack: stay,
    stop: impossible,
    close,
    released: impossible,
  },
  restoring: {
    bringUp: impossible,
    obstructed: (state, { why }) => ({ ...state, detail: why }),
    restored: ({ cutsWhenBack }) => run(cutsWhenBack),
    moveAway: (state) => ({ ...state, isToMove: true }),
    comeBack: (state, { settledCuts = state.cutsWhenBack }) => ({
      ...state,
      isToMove: false,
      cutsWhenBack: settledCuts,
    }),
    stop: (state, event) => (state.isToMove ? closeFor(state, event) : stop(state, event)),
    close: closeAs,
    released: impossible,
  },
  running: {
    ...NO_TRY,
    bringUp: restore,
    moveAway: (_, { untilMs }) => ({ kind: 'draining', untilMs }),
    comeBack: (state, { settledCuts = state.cutsWhenBack }) => run(settledCuts),
    stop,
    close,
    released: impossible,
  },
  draining: {
    ...NO_TRY,
    bringUp: close,
    moveAway: stay,
    comeBack: (_, { settledCuts }) => run(settledCuts),
    stop: closeFor,
    close,
    released: impossible,
  },
  stopped: {
    ...NO_TRY,
    bringUp: restore,
    moveAway: closeAs,
    comeBack: stay,
    stop: stay,
    close: closeAs,
    released: impossible,
  },
  closing: { ...GONE, close: stay, released: () => ({ kind: 'closed' }) },
  closed: { ...GONE, close: stay, released: stay },
};

/** The state after `event`: the same object where that changes nothing. @throws AssertionError where it cannot happen */
export function afterTaskEvent(state: TaskState, event: TaskEvent): TaskState {
  // The table's type pairs each kind with its own function; the compiler cannot follow two lookups at once.
  const transition = TRANSITIONS[state.kind][event.kind] as (state: TaskState, event: TaskEvent) => TaskState;
  return transition(state, event);
}

/** States that an operator sees: `recovering` is a task that runs while the outcome of its commit is being found out. */
export type ShownState = Exclude<TaskState['kind'], 'closing'> | 'recovering';

export const SHOWN_STATES: readonly ShownState[] = [
  'created',
  'restoring',
  'running',
  'draining',
  'stopped',
  'closed',
  'recovering',
];
