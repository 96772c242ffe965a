import { count, counted, Fatal } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { type DeadLetterFlags, withLetters, withLettersOf } from '../dead-letters/letter-access.ts';
import type { LetterLog } from '../dead-letters/letter-log.ts';
import { letterValue, shownText } from '../dead-letters/letter-text.ts';
import { isWanted, LetterSurvey, misspeltReason, noSuchReason, placeOf } from '../dead-letters/letter-survey.ts';
import { type ListedLetter, letterTable } from '../dead-letters/letter-table.ts';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure, failureOf, usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import type { Table } from '../terminal/table.ts';
import { type LetterPlace, LISTED_MAX } from './flags.ts';

export interface ListFlags extends DeadLetterFlags {
  readonly reason?: string;
  readonly partition?: number;
  readonly from?: number;
  readonly limit: number;
}

export interface ShowFlags extends DeadLetterFlags {
  readonly place: LetterPlace;
  readonly bytes: number;
}

/** Every pipeline has its list, unless one is named; a partition is one of a pipeline. */
export async function runList(flags: ListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { reason, partition, from, limit } = flags;
  if (from !== undefined && partition === undefined)
    throw usageFailure('--from is an offset of one partition: give --partition too');
  const choose = (config: FlatlineConfig): readonly PipelineConfig[] =>
    flags.pipeline === undefined && partition === undefined
      ? config.pipelines
      : [pipelineNamed(config, flags.pipeline)];
  return withLettersOf(choose, { flags, console, shell }, async (pipelines) => {
    const names = pipelines.map(({ pipeline }) => pipeline.name);
    const table = letterTable(names, console.colors, console.width);
    console.heading(table.heading);
    const unopened: (CommandFailure | Fatal)[] = [];
    let found = 0;
    for (const { pipeline, openLog, scan } of pipelines) {
      const log = await openLog().catch((error: unknown) => {
        if (pipelines.length === 1 || !(error instanceof CommandFailure || error instanceof Fatal)) throw error;
        unopened.push(error);
      });
      if (log === undefined) continue;
      if (partition !== undefined && partition >= log.ends.length) throw usageFailure(noPartition(partition, log));
      const survey = new LetterSurvey({ reason }, limit, from === undefined ? 'newest' : 'first');
      await scan(log, survey, { partition, from });
      found += survey.total;
      if (reason !== undefined && survey.total === 0) console.note(`${upperFirst(noSuchReason(reason, log, survey))}.`);
      showList({ survey, table, pipeline: pipeline.name, topic: log.topic, flags }, console);
      if (shell.stop.signal.aborted) return ExitCode.interrupted;
    }
    const [first] = unopened;
    const misspelt = reason === undefined || found > 0 ? undefined : misspeltReason(reason);
    if (first === undefined && misspelt !== undefined) throw usageFailure(misspelt);
    if (first === undefined) return ExitCode.ok;
    // One topic that is missing, or not to be read, hides the letters of no other pipeline.
    throw new CommandFailure(failureOf(first).exitCode, unopened.map(({ message }) => message).join('; '));
  });
}

interface ShownList {
  readonly survey: LetterSurvey;
  readonly table: Table<ListedLetter>;
  readonly pipeline: string;
  readonly topic: string;
  readonly flags: ListFlags;
}

function showList({ survey, table, pipeline, topic, flags }: ShownList, console: Console): void {
  const { total, foreign, byReason, listed } = survey;
  for (const letter of listed) {
    const replays = survey.replaysOf(letter);
    console.result(letterValue(letter, replays, pipeline), table.line({ letter, replays, pipeline }));
  }
  const reasons = byReason.map(([reason, letters]) => `${count(letters)} ${reason}`).join(', ');
  const others = foreign === 0 ? '' : `; besides, ${counted(foreign, 'record')} not written by Flatline`;
  const leftOut = total - listed.length;
  const counts = { total, listed: listed.length, leftOut, foreign };
  console.result(
    { kind: 'summary', pipeline, topic, reasons: Object.fromEntries(byReason), ...counts },
    `${topic}: ${counted(total, 'dead letter')}${total === 0 ? '' : ` (${reasons})`}` +
      `${leftOutText(leftOut, total, flags)}${others}`,
  );
}

function leftOutText(leftOut: number, total: number, { from }: ListFlags): string {
  if (leftOut === 0) return '';
  const remedy = total <= LISTED_MAX ? `--limit ${total} lists all` : '--partition and --from list on from an offset';
  return `, ${count(leftOut)} ${from === undefined ? 'older' : 'behind them'} not listed: ${remedy}`;
}

export async function runShow(flags: ShowFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { partition, offset } = flags.place;
  return withLetters({ flags, console, shell }, async ({ pipeline, openLog, scan }) => {
    const log = await openLog();
    if (partition >= log.ends.length) throw usageFailure(noPartition(partition, log));
    const filter = { places: new Set([placeOf(flags.place)]) };
    const survey = new LetterSurvey(filter, 1, 'first');
    await scan(log, survey, { partition, from: offset });
    const letter = survey.listed.find((each) => isWanted(each, filter));
    if (letter === undefined) throw usageFailure(`no dead letter at ${partition}/${offset} of ${log.topic}`);
    const replays = survey.replaysOf(letter);
    console.result(letterValue(letter, replays, pipeline.name), shownText(letter, replays, flags.bytes));
    return ExitCode.ok;
  });
}

function noPartition(partition: number, { topic, ends }: LetterLog): string {
  return `partition ${partition}: ${topic} has partitions 0 to ${ends.length - 1}`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
