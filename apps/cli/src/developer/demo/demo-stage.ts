// Everything a demo runs on, started in order and stopped in reverse.
//
// Owns: broker (where it is the demo's own), state directory, topics, processor, consumer of the output.
// Does not own: the fleet, what is shown (Demo).
//
// Invariants
//   DS1  Whatever happens while it is built or torn down, what was started before is stopped, last first.
import { openSummaryConsumer, type SummaryConsumer } from '@flatline/client';
import type { FlatlineConfig } from '@flatline/config';
import { type KafkaConnection, type KafkaOptions } from '@flatline/kafka';
import { type RunningProcessor, startProcessor } from '@flatline/processor';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, kafkaOf } from '../../cluster.ts';
import type { ConfigurationFlags } from '../../configuration.ts';
import { consoleLog } from '../../run-log.ts';
import type { Shell } from '../../shell.ts';
import { Teardown } from '../../teardown.ts';
import type { Console } from '../../terminal/console.ts';
import { pipelineTopicsOf } from '../../topics/pipeline-topics.ts';
import { createTopics, inspectTopics } from '../../topics/provision.ts';
import { demoBroker } from './demo-broker.ts';
import { demoConfiguration, DEMO_PARTITIONS } from './demo-settings.ts';

export interface DemoStage {
  readonly config: FlatlineConfig;
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly processor: RunningProcessor;
  /** Of the output topic, from its beginning on. */
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
  const teardown = new Teardown();
  shell.stop.signal.addEventListener('abort', () => {
    console.note('Stopping. Ctrl-C once more exits at once.');
  });
  try {
    return await show(await buildStage(flags, shell, console, teardown));
  } finally {
    await teardown.run((problem) => {
      console.note(problem);
    });
  }
}

async function buildStage(
  flags: ConfigurationFlags,
  shell: Shell,
  console: Console,
  teardown: Teardown,
): Promise<DemoStage> {
  const broker = await demoBroker(flags, shell, console);
  teardown.add(() => broker.stop());
  const stateDir = mkdtempSync(join(tmpdir(), 'flatline-demo-'));
  teardown.add(() => {
    rmSync(stateDir, { recursive: true, force: true });
  });
  const { clock } = shell;
  const config = demoConfiguration({ brokers: broker.brokers, stateDir, startedAt: clock.wallMs() });
  const kafka = kafkaOf(config, clock);
  const connection = await connect(kafka);
  teardown.add(() => {
    connection.close();
  });
  const provision = { clock, connection, partitions: DEMO_PARTITIONS, replication: undefined, flags: '' };
  const { plan } = await inspectTopics(pipelineTopicsOf(config), provision);
  await createTopics(plan.missing, provision);
  const processor = await startProcessor(config, { log: consoleLog(console, clock, 'warn') });
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
