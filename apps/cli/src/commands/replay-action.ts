import { count, counted, type DurationMs } from '@flatline/base';
import { KafkaLogScan, KafkaTransactionalWriters, type TopicDescription } from '@flatline/kafka';
import { inputTopicsOf } from '@flatline/kind-modules';
import { type Aftermath, aftermathOf, ReplayedStretch } from '../dead-letters/aftermath.ts';
import { type DeadLetterFlags, type DeadLetterPipeline, withLetters } from '../dead-letters/letter-access.ts';
import type { LetterLog, PartitionEnds } from '../dead-letters/letter-log.ts';
import { isWanted, type LetterFilter, LetterSurvey, noSuchReason, placeOf } from '../dead-letters/letter-survey.ts';
import { isWhole, untilSettled } from '@flatline/processor/letters';
import { absentText } from '../dead-letters/letter-text.ts';
import { replay, type Replayed, type Selected } from '@flatline/processor/letters';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { requireTopic } from '../topics/require-topic.ts';
import { type LetterPlace } from './flags.ts';

/** A transaction that was left open is aborted after 10 s by default, at the coordinator's next look, every 10 s. */
const SETTLED_MS: DurationMs = 30_000;

export interface ReplayFlags extends DeadLetterFlags {
  readonly places: readonly LetterPlace[];
  readonly reason?: string;
  readonly all?: boolean;
  readonly again?: boolean;
  readonly dryRun?: boolean;
}

export async function runReplay(flags: ReplayFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const ways = [flags.places.length > 0, flags.reason !== undefined, flags.all === true].filter(Boolean);
  if (ways.length !== 1) throw usageFailure('which dead letters? Give PARTITION/OFFSET, or --reason, or --all');
  const filter: LetterFilter = { reason: flags.reason, places: new Set(flags.places.map(placeOf)) };
  return withLetters({ flags, console, shell }, async (letters) => {
    if (flags.dryRun === true) return dryRun(letters, { filter, flags, console, shell });
    const { connection, application, pipeline } = letters;
    const { clock } = shell;
    const writers = new KafkaTransactionalWriters({ clock, connections: [connection] });
    // Before looking at what was replayed: it ends another replay of this pipeline, or settles one that broke off.
    const writer = await writers.open(`${application}.${pipeline.name}.replay`);
    try {
      const inputs = new Map<string, TopicDescription>();
      for (const topic of inputTopicsOf(pipeline)) inputs.set(topic, await requireTopic(connection, clock, topic));
      await settled(letters, shell);
      const log = await letters.openLog();
      const selection = await select(letters, log, { filter, flags, console, shell });
      const parts = { clock, writer, inputs, letterTopic: log.topic };
      const stretch = new ReplayedStretch();
      const code = await send(selection, (chosen) => noted(replay(parts, chosen), stretch), { flags, console, shell });
      if (code !== ExitCode.ok || stretch.byPartition.size === 0) return code;
      return showAftermath(await aftermathOf(stretch, letters, log, shell), { flags, console, shell });
    } finally {
      await writer.close();
    }
  });
}

/** @throws Retriable that names the partition where a transaction stays open */
async function settled({ connection, pipeline }: DeadLetterPipeline, { clock }: Shell): Promise<void> {
  const { topic, partitions } = await requireTopic(connection, clock, pipeline.deadLetterTopic);
  const scan = new KafkaLogScan({ clock, connection });
  for (let partition = 0; partition < partitions; partition += 1)
    await untilSettled(scan, { topic, partition }, { clock, withinMs: SETTLED_MS });
}

async function* noted(replaying: AsyncIterable<Replayed>, stretch: ReplayedStretch): AsyncGenerator<Replayed, void> {
  for await (const each of replaying) {
    stretch.add(each);
    yield each;
  }
}

function showAftermath(aftermath: Aftermath, { flags, console }: Surroundings): ExitCode {
  const pipeline = flags.pipeline === undefined ? '' : ` --pipeline ${flags.pipeline}`;
  const list = console.typed(`flatline dead-letters list${pipeline}`);
  switch (aftermath.kind) {
    case 'notRunning':
      console.result(
        { kind: 'aftermath', state: aftermath.kind },
        `No processor runs: once one does, ${list} shows what it refuses again.`,
      );
      return ExitCode.ok;
    case 'unread':
      console.result(
        { kind: 'aftermath', state: aftermath.kind },
        `The processor has not read all of them yet: ${list} shows what it refuses again.`,
      );
      return ExitCode.ok;
    case 'read': {
      const refused = [...aftermath.refused];
      const total = refused.reduce((sum, [, letters]) => sum + letters, 0);
      const reasons = refused.map(([reason, letters]) => `${count(letters)} ${printable(reason)}`).join(', ');
      const text =
        total === 0
          ? 'The processor has read them, and refused none again.'
          : `The processor refused ${counted(total, 'record')} again (${reasons}): mend the cause, then replay what ${list} shows.`;
      console.result({ kind: 'aftermath', state: 'read', refused: Object.fromEntries(refused) }, text);
      return total === 0 ? ExitCode.ok : ExitCode.failedCheck;
    }
  }
}

interface Surroundings {
  readonly flags: ReplayFlags;
  readonly console: Console;
  readonly shell: Shell;
}

interface Selection {
  readonly letterTopic: string;
  /** All of the pipeline: each letter goes back to its own. */
  readonly inputTopics: readonly string[];
  /** Letters to be sent, by partition. */
  readonly partitions: readonly AsyncIterable<Selected>[];
  /** Letters seen so far that were replayed before: left out, or with --again sent once more. */
  readonly replayedBefore: () => number;
  /** Letters seen so far that do not hold all of their record, and are left out. */
  readonly incomplete: () => number;
}

/** One pass to know what was replayed; the letters themselves are read again as they are sent. */
async function select(
  { scan, pipeline }: DeadLetterPipeline,
  log: LetterLog,
  { filter, flags, shell }: Surroundings & { readonly filter: LetterFilter },
): Promise<Selection> {
  const survey = new LetterSurvey(filter, flags.places.length, 'first');
  await scan(log, survey);
  const { reason } = flags;
  if (reason !== undefined && survey.total === 0 && survey.otherReasons.length > 0 && !shell.stop.signal.aborted)
    throw usageFailure(`--reason: ${noSuchReason(reason, log, survey)}. Nothing was replayed`);
  const found = new Set(survey.listed.map(placeOf));
  const missing = flags.places.map(placeOf).filter((place) => !found.has(place));
  if (missing.length > 0 && !shell.stop.signal.aborted)
    throw usageFailure(`no dead letter at ${missing.join(', ')} of ${log.topic}: nothing was replayed`);
  const broken = survey.listed.find((letter) => !isWhole(letter));
  if (broken !== undefined)
    throw usageFailure(
      `dead letter ${placeOf(broken)} of ${log.topic} cannot be replayed: ${absentText(broken).join()}. Nothing was ` +
        'replayed. Have its producer send it again; the original is in the input as long as that keeps it',
    );
  const inputTopics = inputTopicsOf(pipeline);
  let replayedBefore = 0;
  let incomplete = 0;
  async function* selected(ends: PartitionEnds): AsyncGenerator<Selected, void> {
    for await (const record of log.records(ends, ends.start)) {
      if (shell.stop.signal.aborted) return;
      if (record.kind !== 'letter' || !isWanted(record, filter)) continue;
      if (!isWhole(record)) {
        incomplete += 1;
        continue;
      }
      const replays = survey.replaysOf(record);
      if (replays > 0) replayedBefore += 1;
      if (replays > 0 && flags.again !== true) continue;
      if (!inputTopics.includes(record.origin.topic))
        throw usageFailure(
          `dead letter ${placeOf(record)} came from ${printable(record.origin.topic)}, the input is ${inputTopics.join(', ')}`,
        );
      yield { letter: record, replay: replays + 1 };
    }
  }
  const partitions = log.ends.map(selected);
  const counts = { replayedBefore: () => replayedBefore, incomplete: () => incomplete };
  return { letterTopic: log.topic, inputTopics, partitions, ...counts };
}

async function dryRun(
  letters: DeadLetterPipeline,
  around: Surroundings & { readonly filter: LetterFilter },
): Promise<ExitCode> {
  const selection = await select(letters, await letters.openLog(), around);
  const { console } = around;
  let wouldReplay = 0;
  for (const partition of selection.partitions)
    for await (const { letter, replay } of partition) {
      wouldReplay += 1;
      const place = placeOf(letter);
      const { reason } = letter.origin;
      const to = `${letter.origin.topic}/${letter.partition}`;
      console.result({ kind: 'wouldReplay', place, reason, to, replay }, `would replay ${place} (${reason}) to ${to}`);
    }
  const { letterTopic } = selection;
  const leftOut = warnOfLeftOut(selection, around);
  console.result(
    { kind: 'summary', dryRun: true, topic: letterTopic, wouldReplay, ...leftOut },
    `${counted(wouldReplay, 'dead letter')} of ${letterTopic} would be replayed; nothing was sent.`,
  );
  return around.shell.stop.signal.aborted ? ExitCode.interrupted : ExitCode.ok;
}

async function send(
  selection: Selection,
  replaying: (selected: AsyncIterable<Selected>) => AsyncIterable<Replayed>,
  around: Surroundings,
): Promise<ExitCode> {
  const { partitions, letterTopic, inputTopics } = selection;
  const { console, shell } = around;
  let replayed = 0;
  try {
    for (const partition of partitions)
      for await (const { letter, replay, inputOffset } of replaying(partition)) {
        replayed += 1;
        const place = placeOf(letter);
        const { reason, topic } = letter.origin;
        const to = { topic, partition: letter.partition, offset: inputOffset };
        const text = `replayed ${place} (${reason}) to ${topic}/${letter.partition}/${inputOffset}`;
        console.result(
          { kind: 'replayed', place, reason, to, replay },
          replay === 1 ? text : `${text}, replay ${replay}`,
        );
      }
  } finally {
    const leftOut = warnOfLeftOut(selection, around);
    console.result(
      { kind: 'summary', topic: letterTopic, input: inputTopics.join(', '), replayed, ...leftOut },
      `Replayed ${counted(replayed, 'dead letter')} of ${letterTopic} to ${inputTopics.join(', ')}.`,
    );
  }
  if (!shell.stop.signal.aborted) return ExitCode.ok;
  console.note('Interrupted: run it again for the rest.');
  return ExitCode.interrupted;
}

function warnOfLeftOut(
  { replayedBefore, incomplete, letterTopic }: Selection,
  { flags, console }: Surroundings,
): { readonly replayedBefore: number; readonly incomplete: number } {
  const before = replayedBefore();
  const broken = incomplete();
  const what = flags.again === true ? 'sent once more' : 'left out; --again sends them once more';
  if (before > 0) console.note(`warning: ${counted(before, 'dead letter')} replayed before: ${what}.`);
  if (broken > 0)
    console.note(
      `warning: ${counted(broken, 'dead letter')} without all of the record: left out; what is missing is said by ` +
        `flatline dead-letters show, the originals are in the input as long as that keeps them (${letterTopic}).`,
    );
  return { replayedBefore: before, incomplete: broken };
}
