import { placeInLog, type TaskContext } from '../task-context.ts';

/** A part of letting a task go may fail: that is logged, and stops neither the rest of it nor the process. */
export async function contained(context: TaskContext, doing: string, work: Promise<void> | undefined): Promise<void> {
  try {
    await work;
  } catch (error) {
    context.ports.log.error('a part of a task was not let go cleanly', { ...placeInLog(context), doing, error });
  }
}
