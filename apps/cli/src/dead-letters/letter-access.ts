// The dead-letter topics of the pipelines that the flags name, opened for one command and closed after it.
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import type { KafkaConnection } from '@flatline/kafka';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import type { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { ProgressDisplay } from '../terminal/progress-display.ts';
import { requireTopic } from '../topics/require-topic.ts';
import { LetterLog } from './letter-log.ts';
import type { LetterSurvey } from './letter-survey.ts';

export interface DeadLetterFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly json?: boolean;
}

/** Which part of the topic is read: all of it, one partition, or that from an offset on. */
export interface ScanRange {
  readonly partition?: number | undefined;
  readonly from?: number | undefined;
}

export interface DeadLetterPipeline {
  readonly application: string;
  readonly pipeline: PipelineConfig;
  readonly connection: KafkaConnection;
  /** The topic as it is when this is called (LL1). */
  readonly openLog: () => Promise<LetterLog>;
  /** Hands every record to the survey, with progress; ends early where the user stops it. */
  readonly scan: (log: LetterLog, survey: LetterSurvey, range?: ScanRange) => Promise<void>;
}

/** Call of a command. */
export interface Called<Flags extends DeadLetterFlags> {
  readonly flags: Flags;
  readonly console: Console;
  readonly shell: Shell;
}

/** The pipeline that the flags name. @throws CommandFailure where the topic is missing, and what reading throws. */
export function withLetters(
  called: Called<DeadLetterFlags>,
  use: (letters: DeadLetterPipeline) => Promise<ExitCode>,
): Promise<ExitCode> {
  const named = (config: FlatlineConfig): PipelineConfig[] => [pipelineNamed(config, called.flags.pipeline)];
  return withLettersOf(named, called, ([letters]) => use(letters!));
}

/** Opens the letters of all pipelines that `choose` gives, each log only by `openLog`. @throws as `withLetters` */
export async function withLettersOf(
  choose: (config: FlatlineConfig) => readonly PipelineConfig[],
  { flags, console, shell }: Called<DeadLetterFlags>,
  use: (letters: readonly DeadLetterPipeline[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const chosen = choose(config);
  const kafka = kafkaOf(config, shell.clock);
  const connection = await connect(kafka, shell.stop);
  const opened: LetterLog[] = [];
  const scan = (log: LetterLog, survey: LetterSurvey, range: ScanRange = {}): Promise<void> =>
    scanInto(survey, { log, range, console, shell });
  const lettersOf = (pipeline: PipelineConfig): DeadLetterPipeline => ({
    application: config.application,
    pipeline,
    connection,
    openLog: async () => {
      const topic = await requireTopic(connection, shell.clock, pipeline.deadLetterTopic);
      const log = await LetterLog.open(kafka, connection, topic);
      opened.push(log);
      return log;
    },
    scan,
  });
  try {
    return await use(chosen.map(lettersOf));
  } finally {
    await Promise.all(opened.map((log) => log.close()));
    connection.close();
  }
}

interface Scan {
  readonly log: LetterLog;
  readonly range: ScanRange;
  readonly console: Console;
  readonly shell: Shell;
}

async function scanInto(survey: LetterSurvey, { log, range, console, shell }: Scan): Promise<void> {
  const wanted = log.ends.filter(({ partition }) => range.partition === undefined || partition === range.partition);
  const progress = new ProgressDisplay(console, shell.clock);
  const total = wanted.reduce((sum, { start, end }) => sum + end - Math.max(start, range.from ?? 0), 0);
  let done = 0;
  for (const ends of wanted) {
    const from = Math.max(ends.start, range.from ?? 0);
    if (range.from !== undefined && range.from > ends.end)
      throw usageFailure(`partition ${ends.partition} of ${log.topic} ends at offset ${ends.end}`);
    for await (const record of log.records(ends, from)) {
      if (shell.stop.signal.aborted) break;
      survey.add(record, ends.partition);
      done += 1;
      progress.update({ doing: 'reading', unit: 'record', done, total });
    }
  }
  progress.end();
}
