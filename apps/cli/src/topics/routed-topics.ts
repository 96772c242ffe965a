// Topics to which routes lead (P3): another application's, or an input of this configuration. Pure.
import { didYouMean, MESSAGE_BYTES_MAX } from '@flatline/base';
import type { PipelineTopics } from '@flatline/processor';
import type { ExistingTopic } from './existing-topic.ts';
import type { Deviation } from './deviation.ts';

/** Lists target topics that are missing, or take less than a commit may bring. Topics that the configuration is about to create count as there. */
export function routedDeviations(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
): readonly Deviation[] {
  const own = new Set(pipelines.flatMap(inputsOf));
  return pipelines.flatMap(({ pipeline, routed = [] }) =>
    routed.flatMap((topic): Deviation[] => {
      const found = existing.get(topic);
      if (found === undefined) return own.has(topic) ? [] : [missingDeviation(topic, pipeline, pipelines)];
      const bytes = Number(found.settings.get('max.message.bytes') ?? Infinity);
      return bytes < MESSAGE_BYTES_MAX ? [narrowDeviation(topic, pipeline, bytes)] : [];
    }),
  );
}

function missingDeviation(topic: string, pipeline: string, pipelines: readonly PipelineTopics[]): Deviation {
  const problem = `does not exist, and routes of pipeline ${pipeline} lead there`;
  const meant = pipelines.find((each) => each.pipeline === topic);
  const remedy =
    meant === undefined
      ? `create it, where another application reads it: flatline topics create with that one's configuration; or name an input of this one${didYouMean(topic, pipelines.flatMap(inputsOf))}; or take the route out`
      : `a route leads to a topic: pipeline ${topic} reads ${inputsOf(meant).join(', ')}`;
  return { topic, problem, remedy };
}

function narrowDeviation(topic: string, pipeline: string, bytes: number): Deviation {
  const problem = `max.message.bytes is ${bytes}, and routes of pipeline ${pipeline} lead there: a batch of one commit would be refused`;
  return { topic, problem, remedy: `raise it to ${MESSAGE_BYTES_MAX}` };
}

function inputsOf({ input, furtherInputs = [] }: PipelineTopics): readonly string[] {
  return [input, ...furtherInputs.map(({ topic }) => topic)];
}
