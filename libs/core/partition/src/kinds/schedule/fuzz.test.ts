import { test } from '@jest/globals';
import { scheduleView } from '@flatline/kinds/schedule';
import { fuzzChangelog } from '../damaged-log.fixture.ts';
import { changedSchedules } from './changed-schedules.fixture.ts';

test('[F14][K9] damaged blocks of schedules are applied, or refused', () => {
  fuzzChangelog('partition/schedule', changedSchedules(), scheduleView.format);
});
