// F11: the log is not the one that was read: nothing is reset silently, ever (R3).
import { KafkaLogAdmin, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { elapse } from '../stage/elapse.ts';
import { produce, readOutputs } from '../stage/settlement.ts';
import { deleteTopics, growTopic, recreate } from '../stage/topic-deeds.ts';
import { refuses } from './refusal.ts';
import { topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../stage/trial.ts';

const PHASE_MS = 3_000;

type Deed = (application: Application) => Promise<void>;

const deeds: readonly (readonly [string, Deed])[] = [
  ['the log start of the input moved above the position', moveStart],
  [
    'the input was deleted and made anew',
    async (application) => {
      await deleteTopics(application.kafka, [application.input]);
      await recreate(application, application.input);
      await produce(application, beats(200));
    },
  ],
  ['the input got more partitions', (application) => growTopic(application.kafka, application.input, 6)],
];

export const lostLog: Scenario = {
  id: 'F11',
  title: 'log start moved, input made anew, partitions added',
  nodes: 1,
  variants: deeds.length,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context);
  const { application } = trial;
  const [name, deed] = deeds[context.index % deeds.length]!;
  trial.variant = name;
  trial.load();
  const processor = await trial.started();
  await elapse(PHASE_MS);
  await processor.terminate();
  // What it had not read before it ended is what the deed takes away.
  await elapse(PHASE_MS / 3);
  await trial.endLoad();
  const before = await readOutputs(application);
  await deed(application);
  const after = trial.processor();
  trial.armed = 1;
  if (await refuses(after, application.partitions)) trial.hit();
  await after.terminate();
  const outputs = await readOutputs(application);
  if (outputs.length !== before.length)
    trial.violations.push({
      rule: 'R3',
      subject: application.output,
      detail: 'outputs came from a log that is not its own',
    });
  return {
    variant: trial.variant,
    armed: trial.armed,
    fired: trial.fired,
    violations: trial.violations,
    recoveriesMs: [],
    closes: before.length / 2,
    records: 0,
    closeDelayMaxMs: undefined,
    facts: { saidBy: trial.fired === 0 ? after.lines.slice(-3).join(' | ') : 'every partition, or the process' },
  };
}

/** DeleteRecords, up to the end: above what was committed. */
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
