// Everything a demo runs on, started in order and stopped in reverse.
//
// Owns: broker (where it is the demo's own), state directory, topics, processor, consumer of the output.
// Does not own: the fleet, what is shown (Demo).
//
// Invariants
//   DS1  Whatever happens while it is built or torn down, what was started before is stopped, last first.
//   DS2  A request to stop waits neither for the building nor, for longer than a moment, for the teardown: the broker ends
//        with this process, and whatever else there is with the broker.
import { openSummaryConsumer, type SummaryConsumer } from '@flatline/client/parts';
import type { FlatlineConfig } from '@flatline/config';
import { type KafkaConnection, type KafkaOptions } from '@flatline/kafka';
import { pipelineTopicsOf, type RunningProcessor, startProcessor } from '@flatline/processor';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, kafkaOf } from '../../cluster.ts';
import type { ConfigurationFlags } from '../../configuration.ts';
import { consoleLog } from '../../run-log.ts';
import { interruptedBefore } from '../../failure.ts';
import type { Shell } from '../../shell.ts';
import { unlessStopped, withinPatience } from '../../stop.ts';
import { Teardown } from '../../teardown.ts';
import type { Console } from '../../terminal/console.ts';
import { createTopics, inspectTopics } from '../../topics/provision.ts';
import { demoBroker } from './demo-broker.ts';
import { demoConfiguration, DEMO_PARTITIONS } from './demo-settings.ts';

/** The processor may still write while it is removed. */
const REMOVAL_TRIES = 5;

export interface DemoStage {
  readonly config: FlatlineConfig;
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly processor: RunningProcessor;
  /** Reads the output topic from its beginning. */
  readonly consumer: SummaryConsumer;
  /** True where the broker, and all topics with it, end with the demo. */
  readonly ephemeral: boolean;
}

/** Runs `show` on a stage, and takes the stage down whatever comes of it. */
export async function onStage<T>(
  flags: ConfigurationFlags,
  shell: Shell,
  console: Console,
  show: (stage: DemoStage) => Promise<T>,
): Promise<T> {
  const { stop, clock } = shell;
  const teardown = new Teardown((problem) => {
    console.note(problem);
  });
  stop.signal.addEventListener('abort', () => {
    console.note('Stopping. Ctrl-C once more exits at once.');
  });
  const stateDir = mkdtempSync(join(tmpdir(), 'flatline-demo-'));
  try {
    const stage = await unlessStopped(buildStage({ flags, shell, console, teardown, stateDir }), stop);
    if (stage === undefined) throw interruptedBefore('the demo began');
    return await show(stage);
  } finally {
    await withinPatience(teardown.run(), stop, clock);
    rmSync(stateDir, { recursive: true, force: true, maxRetries: REMOVAL_TRIES });
  }
}

interface Building {
  readonly flags: ConfigurationFlags;
  readonly shell: Shell;
  readonly console: Console;
  readonly teardown: Teardown;
  readonly stateDir: string;
}

async function buildStage({ flags, shell, console, teardown, stateDir }: Building): Promise<DemoStage> {
  const { clock, stop } = shell;
  const broker = await demoBroker(flags, shell, console, teardown);
  const config = demoConfiguration({ brokers: broker.brokers, stateDir, startedAt: clock.wallMs() });
  const kafka = kafkaOf(config, clock);
  const connection = await connect(kafka, stop);
  teardown.add(() => {
    connection.close();
  });
  const provision = { clock, connection, partitions: DEMO_PARTITIONS, replication: undefined, flags: '' };
  const { plan } = await inspectTopics(pipelineTopicsOf(config), provision);
  await createTopics(plan.missing, provision);
  stop.signal.throwIfAborted();
  // Errors of work that the end of the demo cut short mean nothing.
  const log = consoleLog(console, clock, { least: 'warn', until: stop.signal });
  const processor = await startProcessor(config, { log });
  teardown.add(() => processor.stop());
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: outputOf(config), from: 'beginning' });
  teardown.add(close);
  return { config, kafka, connection, processor, consumer, ephemeral: broker.ephemeral };
}

export function inputOf({ pipelines }: FlatlineConfig): string {
  return pipelines[0]!.input.topic;
}

export function outputOf({ pipelines }: FlatlineConfig): string {
  return pipelines[0]!.output.topic;
}
