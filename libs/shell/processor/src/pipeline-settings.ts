import { MESSAGE_BYTES_MAX } from '@flatline/base';
import { type FlatlineConfig, type PipelineConfig, rulesText, transactionalId } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import type { PipelineSettings } from '@flatline/runtime';

/** Facts about a pipeline's topics that its tasks need. */
export interface TopicFacts {
  readonly inputPartitions: number;
  /** max.message.bytes of the dead-letter topic, where it is there. */
  readonly letterBytesMax: number | undefined;
}

/** A pipeline's part of the configuration in the runtime's terms. */
export function pipelineSettings(
  config: FlatlineConfig,
  pipeline: PipelineConfig,
  { inputPartitions, letterBytesMax }: TopicFacts,
): PipelineSettings {
  const { name, kind, input, output, group, changelogTopic, deadLetterTopic } = pipeline;
  const { heldTime, tickMs, proof, proofIntervalMs, clockSkewMs, closeDelayMs } = pipeline;
  const { handoverMs, stoppedRetryMs, drainMs, changelogFactor, changelogFormat } = pipeline;
  const { truncateLagMs, truncateLagBytes, startFrom } = pipeline;
  const { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs } = input;
  const keyPartitions = input.partitioner === 'murmur2' ? inputPartitions : undefined;
  return {
    name,
    kind,
    ...kindOf(pipeline).taskSettings(pipeline),
    owner: config.instance,
    group,
    inputTopic: input.topic,
    inputPartitions,
    outputTopic: output.topic,
    changelogTopic,
    deadLetterTopic,
    letterBytesMax: letterBytesMax ?? MESSAGE_BYTES_MAX,
    transactionalId: (partition) => transactionalId(config.application, name, partition),
    heldTime,
    maxStateBytes: pipeline.maxStateBytes,
    input: { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs, keyPartitions },
    tickMs,
    commitIntervalMs: config.commitIntervalMs,
    closeDelayMs,
    proofIntervalMs,
    ...(proof === 'fetch' && { proofByFetch: { clockSkewMs } }),
    handoverMs,
    ...(stoppedRetryMs > 0 && { stoppedRetryMs }),
    drainMs,
    changelogFactor,
    changelogFormat,
    rulesText: rulesText(pipeline),
    truncateLagMs,
    truncateLagBytes,
    startFrom,
  };
}
