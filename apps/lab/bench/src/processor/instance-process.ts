// One processor in a separate process: `fork(this, [task as JSON])`. It reports its HTTP address, then answers questions
// in their order, and stops cleanly at SIGTERM.
import { partitionOf } from '@flatline/base';
import { inlineMore, startProcessor } from '@flatline/processor';
import { setTimeout as delay } from 'node:timers/promises';
import type { InstanceAnswer, InstanceQuestion, InstanceTask, SpanCost } from '../tasks/instance-task.ts';
import { sessionKey } from '../session-key.ts';
import { PIPELINE } from '../tasks/application.ts';
import { ownMemory, memoryAtRest } from '../process-stat.ts';
import { beginCpuSpan, beginSpan, configurationOf, counted, eventsIn, log, until, untilCommitted } from './watching.ts';

type Span = Pick<InstanceAnswer, 'elapsedMs' | 'cpuMs' | 'heartbeats' | 'loopDelay'>;

/** Keys that are held to be asked for, again and again. */
const KEYS_HELD_MAX = 200_000;
const NO_SPAN: Span = { elapsedMs: 0, cpuMs: 0, heartbeats: 0 };

const task = JSON.parse(process.argv[2]!) as InstanceTask;
let begun: (() => Omit<Span, 'heartbeats'>) | undefined = task.isTimed === true ? beginSpan() : undefined;
// As `flatline run`.
inlineMore(process);
const processor = await startProcessor(configurationOf(task), {
  log: {
    ...log,
    // Other instances coming and going is no news here.
    warn: task.instance === undefined ? log.warn : log.info,
  },
});
let answering: Promise<void> = Promise.resolve();
process.on('message', (question: InstanceQuestion) => {
  answering = answering.then(async () => {
    const span = await spanOf(question);
    process.send!(answerTo(question, span));
  });
});
process.on('SIGTERM', () => {
  void processor.stop().then(() => process.exit(0));
});
// An interrupted benchmark takes its processes with it.
process.once('disconnect', () => process.exit(1));
process.send!(processor.httpAddress);

async function spanOf(question: InstanceQuestion): Promise<Span> {
  switch (question.kind) {
    case 'running':
      await until(processor, ({ tasks }) => tasks.length === task.partitions && tasks.every(isRunning));
      return ended();
    case 'applied':
      return applied(question.events, question.warmUpEvents);
    case 'watch':
      return watched(question.forMs);
    case 'lookUps':
      return lookedUp(question);
    case 'begin':
      begun?.();
      begun = beginSpan();
      return NO_SPAN;
    case 'beginCpu':
      begun = beginCpuSpan();
      return NO_SPAN;
    case 'cost':
      return ended();
    case 'look':
      return NO_SPAN;
  }
}

/** Fails where a key is not found here: only keys of its own partitions are taken. */
async function lookedUp({ keys, of }: Extract<InstanceQuestion, { kind: 'lookUps' }>): Promise<Span> {
  const { partitions, tasks } = { partitions: task.partitions, tasks: processor.snapshot().tasks };
  const own = new Set(tasks.map(({ partition }) => partition));
  const all: Buffer[] = [];
  for (let session = 0; session < of.sessions && all.length < KEYS_HELD_MAX; session += 1) {
    const key = sessionKey(session, of.seed);
    if (own.has(partitionOf(key, partitions))) all.push(key);
  }
  const ask = async (from: number): Promise<void> => {
    const asked = Array.from({ length: of.batch }, (_, i) => all[(from + i) % all.length]!);
    const answers = await processor.ask({ pipeline: PIPELINE, keys: asked, isNow: false });
    if (!Array.isArray(answers) || answers.some(({ state }) => state !== 'live'))
      throw new Error(`a key was not found: ${JSON.stringify(answers)}`);
  };
  for (let done = 0; done < keys / 4; done += of.batch) await ask(done);
  const span = beginSpan();
  for (let done = 0; done < keys; done += of.batch) await ask(done);
  return { ...span(), heartbeats: 0 };
}

function ended(): Span {
  const span = begun;
  if (span === undefined) throw new Error('nothing is being measured');
  begun = undefined;
  return { ...span(), heartbeats: 0 };
}

async function watched(forMs: number): Promise<Span> {
  const before = eventsIn(processor.snapshot());
  const span = beginSpan();
  await Promise.race([delay(forMs), processor.finished]);
  return spanned(span, eventsIn(processor.snapshot()) - before);
}

async function applied(events: number, warmUpEvents: number): Promise<Span> {
  const before = Math.max(warmUpEvents, eventsIn(processor.snapshot()));
  const begin = await until(processor, (snapshot) => eventsIn(snapshot) > before || eventsIn(snapshot) >= events);
  const span = beginSpan();
  await untilCommitted(processor, events);
  return spanned(span, events - eventsIn(begin));
}

function spanned(end: () => SpanCost, heartbeats: number): Span {
  return { ...end(), heartbeats };
}

function isRunning({ state }: { readonly state: string }): boolean {
  return state === 'running';
}

function answerTo({ kind }: InstanceQuestion, span: Span): InstanceAnswer {
  const snapshot = processor.snapshot();
  const { tasks } = snapshot;
  if (tasks.length > task.partitions) throw new Error(`${tasks.length} tasks of ${task.partitions} partitions`);
  return {
    liveSessions: tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0),
    closed: counted(snapshot, 'closedByTimeout') + counted(snapshot, 'closedByEnd'),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    // Collecting garbage after `begin` would be measured, also by others that end at the same time. After `watch` it would delay the
    // last requests of the span, which are still under way.
    memory: ['begin', 'beginCpu', 'cost', 'running', 'lookUps', 'watch'].includes(kind) ? ownMemory() : memoryAtRest(),
    ...span,
    restoreMs: Math.max(0, ...tasks.map(({ restoreMs = 0 }) => restoreMs)),
  };
}
