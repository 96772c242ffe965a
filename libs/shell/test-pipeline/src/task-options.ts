import { MESSAGE_BYTES_MAX } from '@flatline/base';
import { type PipelineConfig, rulesText } from '@flatline/config';
import { TASK_BOUNDS } from '@flatline/runtime';
import type { Tested } from './test-partition.ts';
import type { TestedKind } from './tested-kind.ts';

/** Time is exact here: entries take effect in the millisecond in which they are due. */
const TICK_MS = 1;
/** Outputs do not depend on the order of keys in memory, so any seed will do. */
const HASH_SEED = 1;

/** A task's options as a processor derives them from the configuration. */
export function testedPipeline(pipeline: PipelineConfig, kind: TestedKind, partitionCount: number): Tested {
  const { input, inputs = [input], heldTime, changelogFactor, changelogFormat: format, maxStateBytes } = pipeline;
  const [first, ...further] = inputs.map((each) => rulesOf(each, partitionCount));
  const { blockBytesMax, unsweptLogBytes, pendingChangesMax, outputBytesMax, owedBytesMax } = TASK_BOUNDS;
  const { entriesMax, keyBytesMax, pageBytesMax, deadLetterBytesMax } = TASK_BOUNDS;
  return {
    ...kind,
    pipeline,
    taskOptions: {
      kind: kind.kind,
      input: first!,
      ...(further.length > 0 && { furtherInputs: further }),
      changelog: { blockBytesMax, changelogFactor, unsweptLogBytes, format, settings: rulesText(pipeline) },
      heldTime,
      tickMs: TICK_MS,
      hashSeed: HASH_SEED,
      pendingChangesMax,
      outputBytesMax: () => outputBytesMax,
      owedBytesMax,
      takenRowBytesMax: () => 0,
      state: { entriesMax, keyBytesMax, pageBytesMax, stateBytesMax: maxStateBytes ?? Infinity },
      deadLetters: { waitingBytesMax: () => deadLetterBytesMax, letterBytesMax: MESSAGE_BYTES_MAX },
    },
  };
}

function rulesOf(input: PipelineConfig['input'], partitionCount: number): Tested['taskOptions']['input'] {
  const { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs, partitioner } = input;
  const keyPartitions = partitioner === 'murmur2' ? partitionCount : undefined;
  return { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs, keyPartitions };
}
