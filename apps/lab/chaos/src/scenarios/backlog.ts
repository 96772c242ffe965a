// F4: the processor comes late, and no session ends because of it.
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { dumpTopic, topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../trial/trial.ts';

const MINUTES_OF_OWN = 1;
const TIMEOUT_MS = 5_000;
/** 20 000 sessions live at a time. */
const load = { ratePerSecond: 5_000, heartbeatMs: 4_000, beats: 20 };
/** For the sample: a few seconds. */
const short = { forMs: 12_000, timeoutMs: 1_500, load: { ratePerSecond: 1_000, heartbeatMs: 500, beats: 20 } };
/** Other kinds than sessions. */
const ofKind = { forMs: 25_000, timeoutMs: 1_500, load: { ratePerSecond: 1_000 } };
/** Age of the oldest unread record when reading begins, in timeouts; a trial below it has shown nothing. */
const TIMEOUTS_BEHIND_MIN = 5;

export const backlog: Scenario = {
  id: 'F4',
  title: 'a backlog of many timeouts, read late',
  nodes: 1,
  variants: 1,
  takesMinutes: true,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const ofFleet = { forMs: MINUTES_OF_OWN * 60_000, timeoutMs: TIMEOUT_MS, load };
  const usual = context.traffic.sender.by === 'fleet' ? ofFleet : ofKind;
  const plan = context.short ? short : usual;
  const forMs = context.minutes === undefined ? plan.forMs : context.minutes * 60_000;
  const trial = await Trial.begin(context, { timeoutMs: plan.timeoutMs });
  const { application } = trial;
  trial.load(plan.load);
  await firstRecords(application);
  await sleep(forMs);
  const { waiting, oldest } = await unread(application);
  const behind = (Date.now() - oldest) / application.timeoutMs;
  trial.armed = 1;
  if (behind >= TIMEOUTS_BEHIND_MIN) trial.hit();
  trial.variant = `${forMs / 1000} s without a reader`;
  trial.facts['recordsWaiting'] = waiting;
  trial.facts['timeoutsBehind'] = Math.floor(behind);
  const processor = await trial.started();
  await sleep(application.timeoutMs);
  return trial.conclude([processor]);
}

async function unread({ kafka, input, partitions }: Application): Promise<{ waiting: number; oldest: number }> {
  const found = (await dumpTopic(kafka, input, partitions)).flat();
  const oldest = found.reduce((least, { timestamp }) => Math.min(least, timestamp), Infinity);
  return { waiting: found.length, oldest };
}

/** A busy machine takes its time to start a fleet. */
async function firstRecords({ kafka, input, partitions }: Application): Promise<void> {
  const written = async (): Promise<boolean> => (await topicEnds(kafka, input, partitions)).some(({ end }) => end > 0);
  for (let looks = 0; looks < 300 && !(await written()); looks += 1) await sleep(200);
}
