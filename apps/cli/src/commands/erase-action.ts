import { assert } from '@flatline/base';
import { KafkaLogScan } from '@flatline/kafka';
import { COMMAND_HEADER, ERASE } from '@flatline/ports/formats';
import { ChangelogReader } from '@flatline/processor';
import { pause } from '@flatline/system';
import { connect, kafkaOf } from '../cluster.ts';
import { configurationOf } from '../configuration.ts';
import { beganBefore, Erasure, type ErasureStage, waitText } from '../erasing/erasure.ts';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure, interruptedBefore } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import {
  actText,
  keyFor,
  type KeyAct,
  type KeyFlags,
  livesThere,
  ownHeaders,
  sendAct,
  type SentAct,
  sentText,
} from './entry-act.ts';

export interface EraseFlags extends KeyFlags {
  /** `--no-wait`: false. */
  readonly wait: boolean;
}

const LOOK_EVERY_MS = 1_000;

/** Keys that no receipt covers. */
const NOT_COVERED = [
  'what brokers have deleted goes from their disks with its segment, by segment.ms and segment.bytes of the changelog',
  'local stores drop it with their next flush, standbys once they have read the commit; pages of their files are reused, not wiped',
  'the input, the output and the dead letters keep what they have, until their retention takes it',
  'an attribute that is a dimension of stats keeps its place there, and its figures, until stats is changed',
  'records of the key behind the act begin a new session',
] as const;

/** Erases a key, and waits until the changelog has nothing of it (E1). */
export async function runErase(flags: EraseFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipeline = pipelineOfKind(config, 'session', flags.pipeline);
  keyFor(pipeline, flags);
  const message = { value: null, headers: ownHeaders([[COMMAND_HEADER, ERASE]]) };
  const known = new Set<unknown>();
  const concerns: KeyAct['concerns'] = ({ incarnation }) => {
    known.add(incarnation);
    return true;
  };
  const act: KeyAct = { config, pipeline, message, concerns };
  const sent = await sendAct(act, flags, console, shell);
  console.note(`${actText('erase', flags.key)}: ${sentText(sent, true, 'no session lives there')}`);
  const stage = flags.wait ? await erased(act, { sent, known, flags, console, shell }) : undefined;
  report(flags, sent, stage, console);
  return ExitCode.ok;
}

interface Waiting {
  readonly sent: SentAct;
  /** Incarnations that lived before. */
  readonly known: ReadonlySet<unknown>;
  readonly flags: EraseFlags;
  readonly console: Console;
  readonly shell: Shell;
}

async function erased(act: KeyAct, { sent, known, flags, console, shell }: Waiting): Promise<ErasureStage> {
  const { clock, stop } = shell;
  const { changelogTopic: topic, truncateLagMs } = act.pipeline;
  const connection = await connect(kafkaOf(act.config, clock), stop);
  try {
    const scan = new KafkaLogScan({ clock, connection });
    const reader = new ChangelogReader({ topic, partition: sent.partition }, scan);
    const place = { topic: act.pipeline.input.topic, partition: sent.partition };
    // A broker that had the record already does not say where: then it lies below the end.
    const erasure = new Erasure(sent.offset < 0 ? (await scan.bounds(place)).highWatermark - 1 : sent.offset);
    console.note(waitText('sent', truncateLagMs));
    let said: ErasureStage['stage'] = 'sent';
    for (;;) {
      const found = erasure.take(await reader.look());
      // Asked at the first commit behind the act: one that was refused has no base written again, and nothing is waited for.
      if (said === 'sent' && found.stage !== 'sent') await requireGone(act, { sent, known, flags, shell }, erasure.act);
      if (found.stage === 'erased') return found;
      if (found.stage !== said) console.note(waitText(found.stage, truncateLagMs));
      said = found.stage;
      if (erasure.isForgotten) {
        console.note('the partition has another owner, which is asked once more');
        const { offset } = await sendAct({ ...act, concerns: undefined }, flags, console, shell);
        erasure.sentAgain(offset < 0 ? (await scan.bounds(place)).highWatermark - 1 : offset);
      }
      await pause(clock, LOOK_EVERY_MS, stop.signal);
      if (stop.signal.aborted) throw interruptedBefore('all was erased; the same command goes on');
    }
  } finally {
    connection.close();
  }
}

/** A position beyond the act does not say that it was obeyed: it may be a dead letter. @throws CommandFailure */
async function requireGone(
  act: KeyAct,
  { sent, known, flags, shell }: Omit<Waiting, 'console'>,
  at: number,
): Promise<void> {
  const of = { key: keyFor(act.pipeline, flags), partition: sent.partition };
  if ((await livesThere(act, of, beganBefore(at, known), shell)) !== true) return;
  throw new CommandFailure(
    ExitCode.failedCheck,
    `the act at ${sent.topic}/${sent.partition}/${at} was refused: the session that began before it lives. Its dead letter says ` +
      'why (flatline dead-letters list); a clock ahead of the brokers by more than maxFutureMs is one reason',
  );
}

function report(
  { key }: EraseFlags,
  { topic, partition, offset, isThere }: SentAct,
  stage: ErasureStage | undefined,
  console: Console,
): void {
  const common = { kind: 'erasure', key, topic, partition, offset, found: isThere };
  if (stage === undefined) {
    console.result(
      { ...common, state: 'sent' },
      'not waited for: the same command without --no-wait gives the receipt',
    );
    return;
  }
  assert(stage.stage === 'erased', 'a receipt is given for what is done');
  const { commit, truncatedTo } = stage;
  console.result(
    { ...common, state: 'erased', commit, truncatedTo, notCovered: NOT_COVERED },
    [
      actText('erased', key),
      `  session    ${isThere === false ? 'none lived' : 'ended without a summary'}, committed by offset ${commit} of the changelog, partition ${partition}`,
      `  changelog  deleted below offset ${truncatedTo}, as the leader acknowledges: all that was committed before the act`,
      ...NOT_COVERED.map((each, i) => `  ${(i === 0 ? 'not covered' : '').padEnd(10)} ${each}`),
    ].join('\n'),
  );
}
