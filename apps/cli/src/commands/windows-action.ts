import { COMMAND_HEADER, FLUSH } from '@flatline/ports/formats';
import { configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { actText, keyFor, type KeyFlags, ownHeaders, sendAct, sentText } from './entry-act.ts';

export type WindowAct = 'flush' | 'cancel';

export interface WindowActFlags extends KeyFlags {
  readonly act: WindowAct;
}

export async function runWindowAct(flags: WindowActFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { act, key } = flags;
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipeline = pipelineOfKind(config, 'debounce', flags.pipeline);
  keyFor(pipeline, flags);
  // Without a value: with one it would be an item.
  const message = { value: null, headers: ownHeaders([[COMMAND_HEADER, act === 'flush' ? FLUSH : undefined]]) };
  const sent = await sendAct({ config, pipeline, message, concerns: () => true }, flags, console, shell);
  const { topic, partition, offset, isThere } = sent;
  console.result(
    { kind: 'sent', act, key, topic, partition, offset, found: isThere },
    `${actText(act, key)}: ${sentText(sent, true, 'no window is open there')}`,
  );
  return isThere === false ? ExitCode.failedCheck : ExitCode.ok;
}
