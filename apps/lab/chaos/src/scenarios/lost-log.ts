// F11: the log is not the one that was read: nothing is ever reset silently (R3).
import { KafkaLogAdmin, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { produce, readOutputs } from '../stage/topic-records.ts';
import { deleteTopics, growTopic } from '../stage/topic-administration.ts';
import { refusedResult, refuses } from './refusal.ts';
import { topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../trial/trial.ts';

const PHASE_MS = 3_000;

type Fault = (application: Application) => Promise<void>;

const faults: readonly (readonly [string, Fault])[] = [
  ['the log start of the input moved above the position', moveStart],
  [
    'the input was deleted and recreated',
    async (application) => {
      await deleteTopics(application.kafka, [application.input]);
      await application.recreate(application.input);
      await produce(application, beats(200));
    },
  ],
  ['the input got more partitions', (application) => growTopic(application.kafka, application.input, 6)],
];

export const lostLog: Scenario = {
  id: 'F11',
  title: 'log start moved, input recreated, partitions added',
  nodes: 1,
  variants: faults.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  const { application } = trial;
  const [name, fault] = faults[context.index % faults.length]!;
  trial.variant = name;
  trial.load();
  const processor = await trial.started();
  await sleep(PHASE_MS);
  await processor.terminate();
  // Leaves records unread, for the fault to remove.
  await sleep(PHASE_MS / 3);
  await trial.endLoad();
  const before = await readOutputs(application);
  await fault(application);
  const after = trial.processor();
  trial.armed = 1;
  if (await refuses(after, application.partitions)) trial.hit();
  await after.terminate();
  trial.facts['saidBy'] = trial.fired === 0 ? after.lines.slice(-3).join(' | ') : 'every partition, or the process';
  return refusedResult(trial, before.length, 'outputs came from a log that is not its own');
}

/** DeleteRecords up to the end, beyond the committed offset. */
async function moveStart({ kafka, input, partitions }: Application): Promise<void> {
  const connection = openCluster(kafka);
  try {
    const admin = new KafkaLogAdmin({ clock: systemClock, connection });
    const ends = await topicEnds(kafka, input, partitions);
    for (const [partition, { end }] of ends.entries()) await admin.truncate({ topic: input, partition }, end);
  } finally {
    connection.close();
  }
}

function beats(count: number): { readonly key: Buffer; readonly value: Uint8Array }[] {
  return Array.from({ length: count }, (_, index) => ({ key: Buffer.from(`new-${index}`), value: new Uint8Array() }));
}
