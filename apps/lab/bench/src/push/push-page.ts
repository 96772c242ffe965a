// The page of a measurement of subscriptions. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, type Page, verdict } from '../frame/page.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { megabytes, seconds, short } from '../text-table.ts';

export interface PushMeasured {
  readonly heard: 'a key each' | 'all';
  readonly subscribers: number;
  /** With half of them, and with all. */
  readonly half: Pick<InstanceAnswer, 'memory'>;
  readonly all: Pick<InstanceAnswer, 'memory'>;
  /** That half which came at once. */
  readonly letInMs: DurationMs;
  readonly refused: number;
}

type PushRow = ReturnType<typeof pushRows>[number];

/** The project's goal. */
const BYTES_MAX = 16 * 1_024;

export function pushRows(measured: readonly PushMeasured[]) {
  return measured.map(({ heard, subscribers, half, all, letInMs, refused }) => {
    const came = subscribers - Math.ceil(subscribers / 2);
    const bytesEach = (all.memory.anonymousBytes - half.memory.anonymousBytes) / came;
    return { heard, subscribers, bytesEach, rssBytes: all.memory.rssBytes, came, letInMs, refused };
  });
}

export const PUSH_PAGE: Page<PushRow> = {
  columns: [
    ['they hear', ({ heard }) => heard],
    ['subscribers', ({ subscribers }) => short(subscribers)],
    ['bytes each', ({ bytesEach }) => bytesEach.toFixed(0)],
    [`at most ${BYTES_MAX}`, ({ bytesEach }) => verdict(bytesEach <= BYTES_MAX)],
    ['RSS', ({ rssBytes }) => megabytes(rssBytes)],
    ['came at once', ({ came }) => short(came)],
    ['all in after s', ({ letInMs }) => seconds(letInMs)],
    ['told to come later', ({ refused }) => String(refused)],
  ],
  note: [
    'bytes each: growth of anonymous resident memory from half of the subscribers to all of them, over the subscribers more, in one',
    "process, garbage collected: connection, parser and all. The system's buffers of the sockets are not in it. The second half comes",
    'at once, and is let in at the rate of the processor, each when Retry-After has told it to come.',
  ].join('\n'),
  charts: (rows) => [
    chart(rows, {
      name: 'memory',
      title: 'resident bytes of a subscriber; less is better',
      label: ({ heard }) => `who hears ${heard}`,
      isOurs: () => true,
      bar: ({ bytesEach: bytes }) => ({ median: bytes, min: bytes, max: bytes }),
    }),
  ],
};
