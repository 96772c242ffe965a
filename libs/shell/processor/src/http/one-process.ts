import { afterwards } from '../directory/prompt.ts';
import type { Observed, ProcessView, Whole } from './observed.ts';

/** Answers for a port that belongs to one process. */
export function oneProcess(observed: Observed, metrics: () => Promise<string>): Whole {
  return {
    instance: observed.instance,
    look: () => Promise.resolve({ processes: [viewOf(observed)], absences: [], silences: [], workers: [] }),
    metrics,
    restart: (pipeline, partition) => Promise.resolve(observed.restart(pipeline, partition)),
    lookUp: (asking) => afterwards(observed.lookUp(asking), (answers) => (answers === undefined ? [] : [answers])),
    act: (asked) => observed.act(asked),
    page: async (asking) => {
      const page = await observed.page(asking);
      return page === undefined ? [] : [page];
    },
    endpoint: () => observed.endpoint,
  };
}

export function viewOf(observed: Observed, pipelines: ProcessView['pipelines'] = observed.pipelines()): ProcessView {
  const { worker, instance, wallNow, hasStarted, isStopping, lookUpFill } = observed;
  const deliveries = observed.deliveries();
  return { worker, instance, wallNow, hasStarted, isStopping, lookUpFill, pipelines, deliveries };
}
