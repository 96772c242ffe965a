// F4: the processor comes late. Nobody's session ends because of it.
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { elapse } from '../stage/elapse.ts';
import { dumpTopic, topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../stage/trial.ts';

const backlogMs = 60_000;
const shortBacklogMs = 12_000;
/** The oldest unread record is so many timeouts old when reading begins, or the run has shown nothing. */
const timeoutsBehindMin = 5;

export const backlog: Scenario = {
  id: 'F4',
  title: 'a backlog of many timeouts, read late',
  nodes: 1,
  variants: 1,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context);
  const { application } = trial;
  const forMs = context.short ? shortBacklogMs : backlogMs;
  trial.load({ ratePerSecond: context.short ? 1_000 : 4_000, heartbeatMs: 500, beats: 20 });
  await firstRecords(application);
  await elapse(forMs);
  const waiting = (await dumpTopic(application.kafka, application.input, application.partitions)).flat();
  const oldest = waiting.reduce((least, { timestamp }) => Math.min(least, timestamp), Infinity);
  const behind = (Date.now() - oldest) / application.timeoutMs;
  trial.armed = 1;
  if (behind >= timeoutsBehindMin) trial.hit();
  trial.variant = `${forMs / 1000} s without a reader`;
  trial.facts['recordsWaiting'] = waiting.length;
  trial.facts['timeoutsBehind'] = Math.floor(behind);
  const processor = await trial.started();
  await elapse(application.timeoutMs);
  return trial.settle([processor]);
}

/** A busy machine takes its time to start a fleet. */
async function firstRecords({ kafka, input, partitions }: Application): Promise<void> {
  const written = async (): Promise<boolean> => (await topicEnds(kafka, input, partitions)).some(({ end }) => end > 0);
  for (let looks = 0; looks < 300 && !(await written()); looks += 1) await elapse(200);
}
