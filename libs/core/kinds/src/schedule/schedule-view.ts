// A key's schedules as they are shown: when each is due next, and by what.
import { copyBytes } from '@flatline/base';
import { messageIn } from '@flatline/schedules';
import type { EntryView } from '../entry-view.ts';
import { scheduleFormat } from './schedule-format.ts';
import { schedulesIn } from './schedule-state.ts';
import type { ScheduleWindow } from './schedule-window.ts';

export const scheduleView: EntryView<ScheduleWindow> = {
  format: scheduleFormat,
  shown: (entry, { partition }) =>
    schedulesIn(entry.state).map(
      ({ id, offset, dueAt, shiftMs, runs, missed, paused, parked, when, target, message }) => ({
        scheduleId: id,
        schedule: `${partition}-${offset}`,
        dueAt,
        shiftMs: when.jitterMs === undefined ? undefined : shiftMs,
        runs,
        missed,
        paused,
        parked,
        ...when,
        timeZone: when.cron === undefined ? undefined : when.timeZone,
        target,
        // A copy: it is shown later, and lies in the state.
        ...messageIn(copyBytes(message, 0, message.length)),
      }),
    ),
};
