import { placeInLog, type TaskPlace } from '../task-place.ts';

/** A part of letting a task go may fail: that is logged, and stops neither the rest of it nor the process. */
export async function contained(place: TaskPlace, doing: string, work: Promise<void> | undefined): Promise<void> {
  try {
    await work;
  } catch (error) {
    place.ports.log.error('a part of a task was not let go cleanly', { ...placeInLog(place), doing, error });
  }
}
