// The page of a measurement of subscriptions. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, decided, type Page, verdict } from '../frame/page.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { medianWithin, spreadOf } from '../statistics.ts';
import { megabytes, seconds, short, spreadText } from '../text-table.ts';
import type { Returned } from './returning.ts';
import type { ReaderPair } from './stopped-reader.ts';

export interface PushMeasured {
  readonly heard: 'a key each' | 'all';
  readonly subscribers: number;
  /** With half of them, and with all. */
  readonly half: Pick<InstanceAnswer, 'memory'>;
  readonly all: Pick<InstanceAnswer, 'memory'>;
  /** Time in which the half that came at once was let in. */
  readonly letInMs: DurationMs;
  readonly refused: number;
}

export interface PushResults {
  readonly returned: Returned;
  readonly readers: readonly ReaderPair[];
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

export function pushPage(results: PushResults): Page<PushRow> {
  return {
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
    verdicts: () => ['', ...returnedVerdicts(results), ...readerVerdicts(results)],
  };
}

/** Share of the heartbeats that must go on while all come back, and what others' delay may be of that without a stopped reader. */
const BEATS_MIN = 0.97;
const TIMES_MAX = 1.25;

function returnedVerdicts({ returned }: PushResults): readonly string[] {
  const { subscribers, letInMs, refused, lost, doubled, beatsBefore, beatsMeanwhile } = returned;
  const share = beatsMeanwhile / beatsBefore;
  return [
    `${short(subscribers)} that lose their connections and come back within a second: all in after ${seconds(letInMs)} s, ${refused} times told when, or not connected`,
    `outputs meanwhile, one of each key: ${lost} lost, ${doubled} heard twice (none: ${verdict(lost + doubled === 0)})`,
    `${short(beatsBefore)} heartbeats/s beside them: ${share.toFixed(3)} of those before (at least ${BEATS_MIN}: ${verdict(share >= BEATS_MIN)})`,
  ];
}

function readerVerdicts({ readers }: PushResults): readonly string[] {
  const beside = spreadOf(readers.map((pair) => pair.beside.p99Ms));
  const without = spreadOf(readers.map((pair) => pair.without.p99Ms));
  const taken = Math.max(...readers.map((pair) => pair.beside.takenShare));
  const times = readers.map((pair) => pair.beside.p99Ms / pair.without.p99Ms);
  const within = medianWithin(times);
  const range = within === undefined ? '' : ` (${within.min.toFixed(2)} – ${within.max.toFixed(2)} with 95 %)`;
  return [
    `one reader takes nothing (${(100 * taken).toFixed(0)} % of the bytes that others do, in buffers): others' p99 ${spreadText(beside)} ms beside ` +
      `${spreadText(without)} without it; of ${readers.length} pairs of turns ${spreadOf(times).median.toFixed(2)} ×${range}`,
    `at most ${TIMES_MAX} ×: ${decided(within, (value) => value <= TIMES_MAX)}`,
  ];
}
