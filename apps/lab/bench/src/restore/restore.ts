import { framed, over } from '../frame/frame.ts';
import { streamsLineUp } from '../frame/line-up.ts';
import { short } from '../text-table.ts';
import { measureRestore } from './restore-benchmark.ts';
import { restoreContenders } from './restore-contenders.ts';
import { restoreCharts, restoreFigures, restoreText } from './restore-report.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 3 };

export const restore = framed({
  name: 'restore',
  description:
    'how fast an instance runs again after a clean stop, kill −9 and the loss of its disk, beside Kafka Streams',
  settings: (options) => over(DEFAULTS, options),
  lineUp: (options) => streamsLineUp(options, restoreContenders),
  conditions: ({ sessions, partitions }) => `${short(sessions)} sessions, ${partitions} partitions`,
  measure: measureRestore,
  report: ({ rows }) => {
    const figures = rows.map(restoreFigures);
    return { figures, text: restoreText(figures), charts: restoreCharts(figures) };
  },
});
