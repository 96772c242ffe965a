// A processor with a population, in a process of its own: `fork(this, [task as JSON])`, then questions by message.
import type { DurationMs } from '@flatline/base';
import { resolveConfiguration } from '@flatline/config';
import { type ProcessorSnapshot, startProcessor } from '@flatline/processor';
import { setTimeout as delay } from 'node:timers/promises';
import { LoopDelayMeter } from '../loop-delay.ts';
import { settledMemory } from './memory-parts.ts';
import { PIPELINE } from '../bench-topics.ts';
import { type PopulationAnswer, type PopulationQuestion, type PopulationTask } from './population-task.ts';

type Span = Pick<PopulationAnswer, 'elapsedMs' | 'cpuMs' | 'heartbeats' | 'loopDelay'>;

const LOOK_MS = 5;
/** No progress for so long is a failure: after kill −9 the group alone takes ten seconds. */
const STALLED_MS = 90_000;
const COMMIT_INTERVAL_MS = 200;

const log = {
  info: () => undefined,
  warn: (message: string, facts?: object) => {
    console.error(message, facts);
  },
  error: (message: string, facts?: object) => {
    console.error(message, facts);
  },
};

const { application, brokers, stateDir, topic, partitions, timeoutMs } = JSON.parse(process.argv[2]!) as PopulationTask;
const input = { topic, timestampType: 'LogAppendTime' };
const output = { topic: `${application}.output`, format: 'json' };
const pipeline = { name: PIPELINE, kind: 'session', timeoutMs, input, output };
const http = { port: 0 };
const file = { application, brokers, stateDir, commitIntervalMs: COMMIT_INTERVAL_MS, http, pipelines: [pipeline] };
const configuration = resolveConfiguration(file, { source: 'flatline bench', folder: stateDir, environment: {} });
const loop = new LoopDelayMeter();
const questions: PopulationQuestion[] = [];
let answering: Promise<void> = Promise.resolve();
process.on('message', (question: PopulationQuestion) => {
  questions.push(question);
  answering = answering.then(answerNext);
});
const processor = startProcessor(configuration, { log });

async function answerNext(): Promise<void> {
  const question = questions.shift()!;
  process.send!(await answer(await spanOf(question)));
  if (question.kind !== 'stop') return;
  await (await processor).stop();
  process.disconnect();
}

async function spanOf(question: PopulationQuestion): Promise<Span> {
  if (question.kind === 'applied') return applied(question.events, question.warmUpEvents);
  if (question.kind === 'watch') return watched(question.forMs);
  return { elapsedMs: 0, cpuMs: 0, heartbeats: 0 };
}

async function watched(forMs: DurationMs): Promise<Span> {
  const running = await processor;
  const before = eventsIn(running.snapshot());
  const span = beginSpan();
  await Promise.race([delay(forMs), running.finished]);
  return span(eventsIn(running.snapshot()) - before);
}

async function applied(events: number, warmUpEvents: number): Promise<Span> {
  const before = Math.max(warmUpEvents, eventsIn((await processor).snapshot()));
  const begin = await until((snapshot) => eventsIn(snapshot) > before || eventsIn(snapshot) >= events);
  const span = beginSpan();
  const { tasks } = await until((snapshot) => eventsIn(snapshot) >= events);
  const positions = new Map(tasks.map(({ partition, position = Infinity }) => [partition, position]));
  await until((snapshot) =>
    snapshot.tasks.every(({ partition, committedPosition = 0 }) => committedPosition >= positions.get(partition)!),
  );
  return span(events - eventsIn(begin));
}

function beginSpan(): (heartbeats: number) => Span {
  loop.begin();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  return (heartbeats) => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const elapsedMs = performance.now() - startedAtMs;
    return { elapsedMs, cpuMs: (user + system) / 1_000, heartbeats, loopDelay: loop.end() };
  };
}

async function until(isReached: (snapshot: ProcessorSnapshot) => boolean): Promise<ProcessorSnapshot> {
  const running = await processor;
  let progressed = performance.now();
  let state = '';
  for (;;) {
    const snapshot = running.snapshot();
    if (isReached(snapshot)) return snapshot;
    const now = snapshot.tasks.map((task) => `${task.state} ${task.position} ${task.committedPosition}`).join();
    if (now !== state) progressed = performance.now();
    state = now;
    if (performance.now() - progressed > STALLED_MS)
      throw new Error(`the processor has stalled: ${JSON.stringify(snapshot.tasks)}`);
    await Promise.race([delay(LOOK_MS), running.finished]);
  }
}

async function answer(span: Span): Promise<PopulationAnswer> {
  const { tasks } = (await processor).snapshot();
  const sum = (of: (task: (typeof tasks)[number]) => number): number => tasks.reduce((all, task) => all + of(task), 0);
  if (tasks.length > partitions) throw new Error(`${tasks.length} tasks of ${partitions} partitions`);
  return {
    liveSessions: sum(({ liveEntries }) => liveEntries),
    closed: sum(({ counters }) => (counters?.['closedByTimeout'] ?? 0) + (counters?.['closedByEnd'] ?? 0)),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    memory: settledMemory(),
    ...span,
    restoreMs: Math.max(0, ...tasks.map(({ restoreMs = 0 }) => restoreMs)),
  };
}

function eventsIn({ tasks }: ProcessorSnapshot): number {
  return tasks.reduce((sum, { counters }) => sum + (counters?.['heartbeats'] ?? 0), 0);
}
