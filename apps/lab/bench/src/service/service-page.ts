// The page of a measurement of services. Pure.
import { chart, combine, type Page, type Row, rowsOf } from '../frame/page.ts';
import { megabytes, medianText, short, spreadText } from '../text-table.ts';
import type { ServiceCost, ServiceWork, SessionsCost } from '../tasks/service-task.ts';

export interface ServiceTurn extends ServiceCost {
  readonly contender: string;
  readonly work: ServiceWork;
}

const { spread, spreads } = combine<ServiceTurn>();
const FIGURES = {
  cpuUsPerRecord: spread(({ cpuMs, records }) => (1_000 * cpuMs) / records),
  recordsPerSecond: spread(({ records, elapsedMs }) => (1_000 * records) / elapsedMs),
  ...spreads('peakRssBytes'),
};

interface ServiceRow extends Row<ServiceTurn, 'work' | 'contender', typeof FIGURES> {
  /** Its CPU per record over that of the first contender at the same work; ratio of medians. */
  readonly timesFirst: number;
}

export function serviceRows(turns: readonly ServiceTurn[]): readonly ServiceRow[] {
  const rows = rowsOf(turns, ['work', 'contender'], FIGURES);
  return rows.map((row) => {
    const first = rows.find(({ work }) => work === row.work)!;
    return { ...row, timesFirst: row.cpuUsPerRecord.median / first.cpuUsPerRecord.median };
  });
}

const SAID: Readonly<Record<ServiceWork, string>> = {
  beats: 'bare heartbeats sent',
  events: 'events in JSON sent',
  outputs: 'summaries read',
};

export function servicePage({ sessions, bytesPerSession }: SessionsCost): Page<ServiceRow> {
  return {
    columns: [
      ['work', ({ work }) => SAID[work]],
      ['contender', ({ contender }) => contender],
      ['CPU µs/record', ({ cpuUsPerRecord }) => spreadText(cpuUsPerRecord)],
      ['× flatline', ({ timesFirst }) => timesFirst.toFixed(2)],
      ['records/s', ({ recordsPerSecond }) => medianText(recordsPerSecond)],
      ['peak RSS', ({ peakRssBytes }) => megabytes(peakRssBytes.median)],
    ],
    note: 'CPU of the process, all threads. A summary read has a null after it, which is read, too. Medians of the turns, least to most.',
    verdicts: () => [
      '',
      `A session object of the SDK that beats, of ${short(sessions)}: ${short(bytesPerSession)} bytes with its id.`,
    ],
    charts: (rows) =>
      (Object.keys(SAID) as ServiceWork[]).map((work) =>
        chart(
          rows.filter((row) => row.work === work),
          {
            name: work,
            title: `${SAID[work]}: CPU µs per record; less is better`,
            label: ({ contender }) => contender,
            bar: ({ cpuUsPerRecord }) => cpuUsPerRecord,
          },
        ),
      ),
  };
}
