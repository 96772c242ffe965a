import { MESSAGE_BYTES_MAX } from '@flatline/base';
import { type FlatlineConfig, type PipelineConfig, rulesText, transactionalId } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import { routingOf } from '@flatline/kinds/routing';
import type { PipelineSettings } from '@flatline/runtime';

/** Facts about a pipeline's topics that its tasks need. */
export interface TopicFacts {
  readonly inputPartitions: number;
  /** max.message.bytes of the dead-letter topic, where it is there. */
  readonly letterBytesMax: number | undefined;
  /** The changelog is there and elects no unclean leaders, as of now. */
  readonly electsCleanly: boolean;
  /** How many a topic has to which routes lead (P3). */
  readonly partitionsOf: (topic: string) => number;
}

/** A pipeline's part of the configuration in the runtime's terms. */
export function pipelineSettings(
  config: FlatlineConfig,
  pipeline: PipelineConfig,
  { inputPartitions, letterBytesMax, electsCleanly, partitionsOf }: TopicFacts,
): PipelineSettings {
  const { name, kind, input, inputs = [], output, group, changelogTopic, deadLetterTopic } = pipeline;
  const { heldTime, tickMs, proof, proofIntervalMs, clockSkewMs, closeDelayMs } = pipeline;
  const { handoverMs, stoppedRetryMs, drainMs, changelogFactor, changelogFormat } = pipeline;
  const { truncateLagMs, truncateLagBytes, startFrom, routes } = pipeline;
  const furtherInputs = inputs.slice(1).map((of) => ({ topic: of.topic, rules: inputRules(of, inputPartitions) }));
  return {
    name,
    kind,
    ...kindOf(pipeline).taskSettings(pipeline),
    owner: config.instance,
    group,
    inputTopic: input.topic,
    inputPartitions,
    ...(furtherInputs.length > 0 && { furtherInputs }),
    outputTopic: output.topic,
    changelogTopic,
    deadLetterTopic,
    letterBytesMax: letterBytesMax ?? MESSAGE_BYTES_MAX,
    transactionalId: (partition) => transactionalId(config.application, name, partition),
    heldTime,
    maxStateBytes: pipeline.maxStateBytes,
    input: inputRules(input, inputPartitions),
    tickMs,
    commitIntervalMs: config.commitIntervalMs,
    ...(config.probeIntervalMs > 0 && { probeIntervalMs: config.probeIntervalMs }),
    electsCleanly,
    closeDelayMs,
    proofIntervalMs,
    ...(proof === 'fetch' && { proofByFetch: { clockSkewMs } }),
    handoverMs,
    ...(stoppedRetryMs > 0 && { stoppedRetryMs }),
    drainMs,
    changelogFactor,
    changelogFormat,
    rulesText: rulesText(pipeline),
    ...(routes && {
      routing: routingOf(kindOf(pipeline).said, routes, partitionsOf),
      routedPartitions: new Map(routes.map(({ to }) => [to, partitionsOf(to)])),
    }),
    truncateLagMs,
    truncateLagBytes,
    startFrom,
  };
}

function inputRules(input: PipelineConfig['input'], inputPartitions: number): PipelineSettings['input'] {
  const { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs, partitioner } = input;
  const keyPartitions = partitioner === 'murmur2' ? inputPartitions : undefined;
  return { timestampType, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs, keyPartitions };
}
