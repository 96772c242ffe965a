// How much the command itself, `flatline run --workers`, gains from more than one core: a supervisor, its workers and the broker are
// separate processes, over a backlog that is complete beforehand.
import type { DurationMs } from '@flatline/base';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import type { BrokerCpu } from '../broker-cpu.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { thisMachine } from '../machine.ts';
import { processCpuMs, processMemory } from '../process-stat.ts';
import { spreadOf } from '../statistics.ts';
import { short } from '../text-table.ts';
import { Backlog } from './backlog.ts';
import { connectionsTo } from './connections.ts';
import { type Processes, Supervised, type WorkerPartition } from './supervised.ts';
import { type Held, type Spent, WORKERS_PAGE, type WorkersTurn, workersRows } from './workers-page.ts';

const DEFAULTS = { events: 12_000_000, sessions: 200_000, partitions: 8, repeats: 3 };
const CLOSES = 1_000_000;
const WORKER_COUNTS: readonly number[] = [1, 2];
/** Unmeasured events on which each worker compiles its code. */
const WARM_UP_EVENTS = 1_500_000;
/** Many, since CPU time is counted in hundredths of a second. */
const SCRAPES = 50;

type WorkersGround = Ground<typeof DEFAULTS & { readonly closes: number; readonly workerCounts: readonly number[] }>;

export const workers = framed({
  name: 'workers',
  description:
    'events and closes per second of `flatline run` with one worker and with two, and what supervisor and broker take',
  settings: (options) => ({ ...over(DEFAULTS, options), closes: CLOSES, workerCounts: WORKER_COUNTS }),
  conditions: ({ events, sessions, closes, partitions }) =>
    `${short(events)} bare heartbeats of ${short(sessions)} sessions, ${short(closes)} sessions that end at once, ${partitions} partitions`,
  measure: measureWorkers,
  report: ({ turns }) => ({ rows: workersRows(turns), page: WORKERS_PAGE }),
});

/** @throws Error if a process ends, or a session does not close exactly once. */
async function measureWorkers(ground: WorkersGround): Promise<{ readonly turns: readonly WorkersTurn[] }> {
  const cells = ground.workerCounts.map((count) => ({
    name: `${count} of ${ground.workerCounts.at(-1)} workers`,
    take: () => withApplication(ground, (application) => measureCount(ground, application, count)),
  }));
  return { turns: (await takeTurns(cells, ground)).turns.flat(2) };
}

async function measureCount(
  ground: WorkersGround,
  application: Application,
  workers: number,
): Promise<readonly WorkersTurn[]> {
  const { partitions, events, closes, brokers, onProgress } = ground;
  const running = await Supervised.start(application, workers);
  try {
    await running.until((held) => isSpread(held, partitions, workers));
    const processes = await running.processes();
    const backlog = new Backlog(ground, application, running);
    const turn = async (what: WorkersTurn['what'], count: number, spent: Spent): Promise<WorkersTurn> => ({
      what,
      workers,
      count,
      processors: thisMachine().processors,
      ...spent,
      ...(await held(running, processes, brokers)),
    });
    const spending = (wait: () => Promise<void>): Promise<Spent> => spent(processes, ground.brokerCpu, wait);
    await backlog.warmUp(WARM_UP_EVENTS * workers);
    const turns = [await turn('events', events, await backlog.events(spending))];
    turns.push(await turn('closes', closes, await backlog.closes(spending)));
    return turns;
  } finally {
    await running.stop();
    await removeTopics(brokers, application.application, onProgress);
  }
}

/** True if each partition runs once, and each worker has its final share of them, give or take one. */
function isSpread(held: readonly WorkerPartition[], partitions: number, workers: number): boolean {
  const running = held.filter(({ role, state }) => role === 'owner' && state === 'running');
  const counts = [...Map.groupBy(running, ({ worker }) => worker).values()].map(({ length }) => length);
  return (
    held.length === partitions &&
    running.length === partitions &&
    counts.length === workers &&
    counts.every((count) => Math.abs(count - partitions / workers) < 1)
  );
}

async function spent({ supervisor, workers }: Processes, broker: BrokerCpu, wait: () => Promise<void>): Promise<Spent> {
  const used = (): readonly [number, number] => [cpuMs(supervisor), sum(workers.map(cpuMs))];
  const [supervisorBefore, workersBefore] = used();
  const brokerBefore = broker.now();
  const fromMs = performance.now();
  await wait();
  const elapsedMs = performance.now() - fromMs;
  const [supervisorAfter, workersAfter] = used();
  return {
    elapsedMs,
    workersCpuMs: workersAfter - workersBefore,
    supervisorCpuMs: supervisorAfter - supervisorBefore,
    brokerCpuMs: broker.since(brokerBefore).brokerCpuMs,
  };
}

/** Memory of the processes, and the cost of a scrape. */
async function held(running: Supervised, processes: Processes, brokers: readonly string[]): Promise<Held> {
  const { supervisor, workers } = processes;
  const ports = brokers.map((broker) => Number(broker.slice(broker.lastIndexOf(':') + 1)));
  const bytes = (pid: number): number => processMemory(pid)!.rssBytes;
  const connections = (pid: number): number => connectionsTo(ports, pid);
  const found = {
    supervisorBytes: bytes(supervisor),
    workerBytes: mean(workers.map(bytes)),
    supervisorConnections: connections(supervisor),
    workerConnections: mean(workers.map(connections)),
  };
  const cpuBefore = cpuMs(supervisor) + sum(workers.map(cpuMs));
  const times: DurationMs[] = [];
  let scrapeBytes = 0;
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    const fromMs = performance.now();
    scrapeBytes = await running.scrape();
    times.push(performance.now() - fromMs);
  }
  const scrapeCpuMs = (cpuMs(supervisor) + sum(workers.map(cpuMs)) - cpuBefore) / SCRAPES;
  return { ...found, scrapeBytes, scrapeMs: spreadOf(times).median, scrapeCpuMs };
}

/** @throws Error if the process has ended, or the system does not tell. */
function cpuMs(pid: number): DurationMs {
  const used = processCpuMs(pid);
  if (used === undefined) throw new Error(`the CPU time of process ${pid} is not known`);
  return used;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
