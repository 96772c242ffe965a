import type { KindName } from '@flatline/base';
import { COMMAND_HEADER } from '@flatline/ports/formats';
import { configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Answer } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { type ByProcessorFlags, refusedFor, runningPipeline } from './by-processor.ts';
import { actText, keyFor, type KeyFlags, ownHeaders, sendAct, sentText } from './entry-act.ts';

export interface KeyActFlags extends KeyFlags {
  readonly act: 'end' | 'release';
  readonly kind: KindName;
}

export async function runKeyAct(flags: KeyActFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { act, key, kind } = flags;
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipeline = pipelineOfKind(config, kind, flags.pipeline);
  keyFor(pipeline, flags);
  const message = { value: null, headers: ownHeaders([[COMMAND_HEADER, act.toUpperCase()]]) };
  const sent = await sendAct({ config, pipeline, message, concerns: () => true }, flags, console, shell);
  const { topic, partition, offset, isThere } = sent;
  console.result(
    { kind: 'sent', act, key, topic, partition, offset, found: isThere },
    `${actText(act, key)}: ${sentText(sent, true, `no ${KIND_WORDS[kind].noun} lives there`)}`,
  );
  return isThere === false ? ExitCode.failedCheck : ExitCode.ok;
}

export interface ProcessorActFlags extends ByProcessorFlags {
  readonly key: string;
}

export interface EvictFlags extends ByProcessorFlags {
  readonly attribute: string;
  readonly equals: string;
}

/** A processor waits ten seconds for the brokers. */
const ANSWER_WITHIN_MS = 12_000;

export async function runEnd(flags: ProcessorActFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { key } = flags;
  const place = `/${encodeURIComponent(key)}:end`;
  const { topic, partition, offset } = await acted<{ topic: string; partition: number; offset: number }>(
    { flags, place },
    shell,
  );
  console.result(
    { kind: 'sent', act: 'end', key, topic, partition, offset },
    `${actText('end', key)}: ${sentText({ topic, partition, offset, isThere: undefined }, true, '')}`,
  );
  return ExitCode.ok;
}

export async function runEvict(flags: EvictFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { attribute, equals } = flags;
  const body = { attribute, equals };
  const { topic, records } = await acted<{ topic: string; records: readonly object[] }>(
    { flags, place: ':evict', body },
    shell,
  );
  console.result(
    { kind: 'sent', act: 'evict', ...body, topic, records },
    `${actText('evict', `${attribute}=${equals}`)}: sent to all ${records.length} partitions of ${topic}, for what is there when it is read`,
  );
  return ExitCode.ok;
}

async function acted<T>(
  { flags, place, body }: { readonly flags: ByProcessorFlags; readonly place: string; readonly body?: object },
  shell: Shell,
): Promise<T> {
  const { address, path } = await runningPipeline(flags, shell);
  const how = { body, withinMs: ANSWER_WITHIN_MS, field: 'topic' };
  const answer: Answer<T & { readonly error?: string }> = await address.ask(`${path}${place}`, 'POST', how);
  if (answer.status === 202) return answer.body;
  throw refusedFor(answer.status, answer.body.error ?? `it answers ${answer.status}`);
}
