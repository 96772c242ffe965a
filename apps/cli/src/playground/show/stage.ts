// Everything a show runs on, started in order and stopped in reverse.
//
// Owns: broker (where it is the show's own), topics, processor, consumer of the output.
// Does not own: the fleet and what is shown (play.ts), files (whoever asks for the show).
//
// Invariants
//   DS1  Whatever happens while it is built or torn down, what was started before is stopped, last first.
//   DS2  A request to stop waits neither for the building nor, for longer than the show says, for the teardown: the broker ends
//        with this process, and whatever else there is with the broker.
import { openSummaryConsumer, type SummaryConsumer } from '@flatline/client/parts';
import type { FlatlineConfig } from '@flatline/config';
import { type KafkaConnection, type KafkaOptions } from '@flatline/kafka';
import { pipelineTopicsOf, type RunningProcessor, startProcessor } from '@flatline/processor';
import { connect, kafkaOf } from '../../cluster.ts';
import type { ConfigurationFlags } from '../../configuration.ts';
import { consoleLog } from '../../run-log.ts';
import { interruptedBefore } from '../../failure.ts';
import type { Shell } from '../../shell.ts';
import { unlessStopped, withinPatience } from '../../stop.ts';
import { Teardown } from '../../teardown.ts';
import type { Console } from '../../terminal/console.ts';
import { createTopics, inspectTopics } from '../../topics/provision.ts';
import type { Show } from './settings.ts';
import { type StageBroker, stageBroker } from './stage-broker.ts';

export interface Stage {
  readonly show: Show;
  readonly config: FlatlineConfig;
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly processor: RunningProcessor;
  /** Reads the output topic from its beginning. */
  readonly consumer: SummaryConsumer;
  readonly broker: StageBroker;
}

/** Plays on a stage, and takes the stage down whatever comes of it. */
export async function onStage<T>(
  show: Show,
  flags: ConfigurationFlags,
  shell: Shell,
  console: Console,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { stop, clock } = shell;
  const teardown = new Teardown((problem) => {
    console.note(problem);
  });
  stop.signal.addEventListener('abort', () => {
    console.note('Stopping. Ctrl-C once more exits at once.');
  });
  try {
    const stage = await unlessStopped(buildStage({ show, flags, shell, console, teardown }), stop);
    if (stage === undefined) throw interruptedBefore(`the ${show.name === 'demo' ? 'demo' : 'fleet'} began`);
    return await play(stage);
  } finally {
    await withinPatience(teardown.run(), stop, clock, show.endWithinMs);
  }
}

interface Building {
  readonly show: Show;
  readonly flags: ConfigurationFlags;
  readonly shell: Shell;
  readonly console: Console;
  readonly teardown: Teardown;
}

async function buildStage({ show, flags, ...around }: Building): Promise<Stage> {
  const { shell, console, teardown } = around;
  const { clock, stop } = shell;
  const broker = await stageBroker(show, flags, around);
  const isNewBroker = broker.origin === 'own' && !show.broker.keep;
  const config = show.configuration({ brokers: broker.brokers, isNewBroker, startedAt: clock.wallMs() });
  const kafka = kafkaOf(config, clock);
  const connection = await connect(kafka, stop);
  teardown.add(() => {
    connection.close();
  });
  const provision = { clock, connection, partitions: show.partitions, replication: undefined, flags: '' };
  const { plan } = await inspectTopics(pipelineTopicsOf(config), provision);
  await createTopics(plan.missing, provision);
  stop.signal.throwIfAborted();
  // Errors of work that the end of the show cut short mean nothing.
  const log = consoleLog(console, clock, { least: 'warn', until: stop.signal });
  const processor = await teardown.start(startProcessor(config, { log }), (started) => started.stop());
  stop.signal.throwIfAborted();
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: outputOf(config), from: 'beginning' });
  teardown.add(close);
  return { show, config, kafka, connection, processor, consumer, broker };
}

export function inputOf({ pipelines }: FlatlineConfig): string {
  return pipelines[0]!.input.topic;
}

export function outputOf({ pipelines }: FlatlineConfig): string {
  return pipelines[0]!.output.topic;
}
