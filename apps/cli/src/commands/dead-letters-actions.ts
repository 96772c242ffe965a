import { count, counted } from '@flatline/base';
import { type DeadLetterFlags, withLetters } from '../dead-letters/letter-access.ts';
import type { LetterLog } from '../dead-letters/letter-log.ts';
import { listedText, letterValue, shownText } from '../dead-letters/letter-text.ts';
import { isWanted, LetterSurvey, placeOf } from '../dead-letters/letter-survey.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { type LetterPlace } from './flags.ts';

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

export async function runList(flags: ListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { reason, partition, from, limit } = flags;
  if (from !== undefined && partition === undefined)
    throw usageFailure('--from is an offset of one partition: give --partition too');
  return withLetters(flags, console, shell, async ({ openLog, scan }) => {
    const log = await openLog();
    if (partition !== undefined && partition >= log.ends.length) throw usageFailure(noPartition(partition, log));
    const survey = new LetterSurvey({ reason }, limit, from === undefined ? 'newest' : 'first');
    await scan(log, survey, { partition, from });
    if (reason !== undefined && survey.total === 0) console.note(noSuchReason(reason, survey));
    showList(survey, log.topic, console);
    return shell.stop.signal.aborted ? ExitCode.interrupted : ExitCode.ok;
  });
}

/** A misspelt reason finds nothing, like one that never occurred. */
function noSuchReason(reason: string, { otherReasons }: LetterSurvey): string {
  if (otherReasons.length === 0) return 'There are no dead letters at all.';
  return `No dead letter has the reason ${reason}; there are ${otherReasons.join(', ')}.`;
}

function showList(survey: LetterSurvey, topic: string, console: Console): void {
  for (const letter of survey.listed) {
    const replays = survey.replaysOf(letter);
    console.result(letterValue(letter, replays), listedText(letter, replays, console.colors));
  }
  const { total, foreign, byReason } = survey;
  const reasons = byReason.map(([reason, letters]) => `${count(letters)} ${reason}`).join(', ');
  const others = foreign === 0 ? '' : `; besides, ${counted(foreign, 'record')} not written by Flatline`;
  console.result(
    { kind: 'summary', topic, total, reasons: Object.fromEntries(byReason), listed: survey.listed.length, foreign },
    `${topic}: ${counted(total, 'dead letter')}${total === 0 ? '' : ` (${reasons})`}${others}`,
  );
}

export async function runShow(flags: ShowFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { partition, offset } = flags.place;
  return withLetters(flags, console, shell, async ({ openLog, scan }) => {
    const log = await openLog();
    if (partition >= log.ends.length) throw usageFailure(noPartition(partition, log));
    const filter = { places: new Set([placeOf(flags.place)]) };
    const survey = new LetterSurvey(filter, 1, 'first');
    await scan(log, survey, { partition, from: offset });
    const letter = survey.listed.find((each) => isWanted(each, filter));
    if (letter === undefined) throw usageFailure(`no dead letter at ${partition}/${offset} of ${log.topic}`);
    const replays = survey.replaysOf(letter);
    console.result(letterValue(letter, replays), shownText(letter, replays, flags.bytes));
    return ExitCode.ok;
  });
}

function noPartition(partition: number, { topic, ends }: LetterLog): string {
  return `partition ${partition}: ${topic} has partitions 0 to ${ends.length - 1}`;
}
