import { ASKING_HEADERS, COMMAND_HEADER } from '@flatline/ports/formats';
import { type KindIntake, withIdempotencyKey } from '../intake.ts';
import { foreseenSchedule } from './foreseen.ts';
import type { SchedulePipeline } from './settings.ts';

/** A message is the body; when it comes, the headers say. */
export const scheduleIntake: KindIntake<SchedulePipeline> = {
  beats: false,
  open: (pipeline) => ({
    headers: [...ASKING_HEADERS, COMMAND_HEADER],
    recordOf: (sent, now) => {
      const record = withIdempotencyKey(sent);
      const found = foreseenSchedule(pipeline, record, now);
      return found.kind === 'sound' ? record : `${found.reason}: ${found.detail}`;
    },
  }),
};
