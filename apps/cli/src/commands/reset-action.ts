// Forgets what an application knows: its group's offsets, then its changelogs. In this order: a changelog without offsets is
// a state that can go on, offsets without a changelog are a loss that stops every start (R3).
import { counted } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { KafkaGroupAdmin, KafkaLogAdmin, KafkaLogScan, KafkaTopicAdmin } from '@flatline/kafka';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { type ApplicationState, readState, stateText, type StateReading } from '../topics/application-state.ts';
import { type PipelineTopics, pipelineTopicsOf } from '@flatline/processor';
import { existingTopics } from '../topics/pipeline-topics.ts';

export interface ResetFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly confirm?: string;
  readonly json?: boolean;
}

interface Forgettable {
  readonly topics: PipelineTopics;
  /** 0: there is no changelog. */
  readonly changelogPartitions: number;
  readonly state: ApplicationState;
}

/** @throws CommandFailure where a processor runs or another application is confirmed: then nothing has changed. */
export async function runReset(flags: ResetFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const { application } = config;
  if (flags.confirm !== undefined && flags.confirm !== application)
    throw usageFailure(`--confirm ${flags.confirm}: the configuration's application is ${application}`);
  const connection = await connect(kafkaOf(config, shell.clock), shell.stop);
  const reading = { clock: shell.clock, connection };
  try {
    const found = await lookAt(config, chosen(config, flags.pipeline), reading);
    if (flags.confirm !== undefined) for (const each of found) await forget(each, reading);
    const isDone = flags.confirm !== undefined;
    // Outputs of the former state up to here are made again: verification must not judge the former ones by the new state.
    const verifySince = isDone ? new Date(shell.clock.wallMs()).toISOString() : undefined;
    console.result(
      { application, forgotten: isDone, verifySince, pipelines: found.map(asJson) },
      textOf(found, verifySince, application),
    );
    return ExitCode.ok;
  } finally {
    connection.close();
  }
}

function chosen(config: FlatlineConfig, pipeline: string | undefined): readonly PipelineTopics[] {
  const all = pipelineTopicsOf(config);
  if (pipeline === undefined) return all;
  const { name } = pipelineNamed(config, pipeline);
  return all.filter((each) => each.pipeline === name);
}

async function lookAt(
  { kafka }: FlatlineConfig,
  pipelines: readonly PipelineTopics[],
  reading: StateReading,
): Promise<Forgettable[]> {
  const scan = new KafkaLogScan(reading);
  const names = pipelines.flatMap(({ input, changelog }) => [input, changelog]);
  const existing = existingTopics(await new KafkaTopicAdmin(reading).describeTopics([...new Set(names)]), pipelines);
  const partitionsOf = (topic: string): number => existing.get(topic)?.partitions ?? 0;
  const found: Forgettable[] = [];
  for (const topics of pipelines) {
    const { group, changelog, input } = topics;
    if (await scan.hasMembers(group))
      throw usageFailure(
        `group ${group} has members: stop every processor of ${topics.pipeline} first; ` +
          `one that was killed counts for up to ${duration(kafka.sessionTimeoutMs)} (kafka.sessionTimeoutMs)`,
      );
    const changelogPartitions = partitionsOf(changelog);
    const place = { changelog, changelogPartitions, group, input, inputPartitions: partitionsOf(input) };
    found.push({ topics, changelogPartitions, state: await readState(place, reading) });
  }
  return found;
}

async function forget({ topics, changelogPartitions }: Forgettable, reading: StateReading): Promise<void> {
  await new KafkaGroupAdmin(reading).forget(topics.group);
  const log = new KafkaLogAdmin(reading);
  for (let partition = 0; partition < changelogPartitions; partition++) {
    const place = { topic: topics.changelog, partition };
    await log.truncate(place, await log.replicatedEnd(place));
  }
}

function asJson({ topics, state }: Forgettable): object {
  const liveEntries = state.kind === 'held' ? state.liveEntries : state.kind === 'none' ? 0 : undefined;
  return {
    pipeline: topics.pipeline,
    group: topics.group,
    changelog: topics.changelog,
    state: state.kind,
    liveEntries,
  };
}

function textOf(found: readonly Forgettable[], verifySince: string | undefined, application: string): string {
  const isDone = verifySince !== undefined;
  const lines = found.map(({ topics, state }) => {
    const held = state.kind === 'none' ? `${topics.changelog} holds no state` : stateText(state, topics.changelog);
    return `${isDone ? 'forgotten' : 'would be forgotten'}: ${topics.pipeline}: ${held}`;
  });
  const next = isDone
    ? `${counted(found.length, 'pipeline')} of ${application} will begin again, from startFrom: what is closed again is written to the output again.\n` +
      `Afterwards give verify --since ${verifySince}: what came before was said by the state that is gone.`
    : `Nothing was changed. To do it, add --confirm ${application}.`;
  return [...lines, next].join('\n');
}
