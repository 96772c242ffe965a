// Heartbeats per CPU second of `flatline run` while it is looked at, beside the same while it is not: scraped, asked whether it is
// ready, probing its partitions, with a dashboard open.
import type { DurationMs } from '@flatline/base';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeApplicationTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { processCpuMs } from '../process-stat.ts';
import type { Application } from '../tasks/application.ts';
import { short } from '../text-table.ts';
import { Backlog } from '../workers/backlog.ts';
import { Supervised } from '../workers/supervised.ts';
import { Onlookers } from './onlookers.ts';
import { WATCHED_PAGE, type WatchedTurn, watchedRows } from './watched-page.ts';

const DEFAULTS = { events: 20_000_000, sessions: 200_000, partitions: 4, repeats: 9 };
/** Unmeasured events on which the processor compiles its code. */
const WARM_UP_EVENTS = 1_500_000;
const PROBE_INTERVAL_MS: DurationMs = 1_000;

type WatchedGround = Ground<typeof DEFAULTS>;

export const watched = framed({
  name: 'watched',
  description:
    'heartbeats per CPU second of `flatline run` that is scraped, probed, asked whether it is ready and shown on a dashboard, beside one that is not',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ events, sessions, partitions }) =>
    `${short(events)} bare heartbeats of ${short(sessions)} sessions, ${partitions} partitions, one worker`,
  measure: measureWatched,
  report: ({ turns }) => ({ rows: watchedRows(turns), page: WATCHED_PAGE }),
});

/** @throws Error if a process ends, or does not answer who looks at it */
async function measureWatched(ground: WatchedGround): Promise<{ readonly turns: readonly WatchedTurn[] }> {
  const cell = (how: WatchedTurn['how']) => ({
    name: how,
    take: (application: Application) => measureTurn(ground, application, how),
  });
  const { turns } = await takeApplicationTurns({ ...ground, warmsUp: true }, [cell('alone'), cell('watched')]);
  return { turns };
}

async function measureTurn(
  ground: WatchedGround,
  application: Application,
  how: WatchedTurn['how'],
): Promise<WatchedTurn> {
  const { partitions, events, sessions, brokers, onProgress } = ground;
  const probing = how === 'watched' ? { probeIntervalMs: PROBE_INTERVAL_MS } : {};
  const running = await Supervised.start(application, 1, probing);
  try {
    await running.until((held) => held.filter(({ state }) => state === 'running').length === partitions);
    const { supervisor, workers } = await running.processes();
    const cpuMs = (): DurationMs => [supervisor, ...workers].reduce((sum, pid) => sum + processCpuMs(pid)!, 0);
    const backlog = new Backlog({ ...ground, sessions, closes: 0 }, application, running);
    await backlog.warmUp(WARM_UP_EVENTS);
    return await backlog.events(async (committed) => {
      const onlookers = how === 'watched' ? await Onlookers.come(running.address) : undefined;
      const [fromMs, cpuBefore] = [performance.now(), cpuMs()];
      await Promise.race([committed(), ...(onlookers === undefined ? [] : [onlookers.failed])]);
      const turn = { how, events, elapsedMs: performance.now() - fromMs, cpuMs: cpuMs() - cpuBefore };
      return { ...turn, looks: (await onlookers?.leave()) ?? { scrapes: 0, asked: 0, lines: 0 } };
    });
  } finally {
    await running.stop();
    await removeTopics(brokers, application.application, onProgress);
  }
}
