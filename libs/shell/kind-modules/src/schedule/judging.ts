import { outputRecord } from '@flatline/oracle';
import { CheckCalendar } from '../judging/calendar/check-calendar.ts';
import type { KindJudging } from '../judging/kind-judging.ts';
import { AS_IT_LIES } from '../judging/readers.ts';
import type { SchedulePipeline } from './settings.ts';

export const scheduleJudging: KindJudging<SchedulePipeline> = {
  rules: ({ rules }, common) => ({
    kind: 'schedule',
    ...rules,
    ...common,
    calendar: new CheckCalendar(process.versions['tz'] ?? 'unknown'),
  }),
  readers: () => ({
    input: AS_IT_LIES,
    // Values go through untouched: what they say is not ours.
    output: { prepare: () => Promise.resolve(), read: (record) => outputRecord(record, () => undefined) },
  }),
};
