// The kind that a pipeline's section of the configuration asks for: a line for each, or the compiler names the one that lacks.
import type { Clock } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { type PipelineKind, sessionKind } from '@flatline/kinds';
import { HttpSchemaRegistry, openEventDecoder, openSummaryEncoder } from '@flatline/records';

export interface KindPlace {
  readonly config: FlatlineConfig;
  readonly pipeline: PipelineConfig;
  readonly clock: Clock;
}

const KINDS: Readonly<Record<PipelineConfig['kind'], (place: KindPlace) => Promise<PipelineKind>>> = {
  session: openSessions,
};

/** @throws Retriable where the registry does not answer. */
export function openKind(place: KindPlace): Promise<PipelineKind> {
  return KINDS[place.pipeline.kind](place);
}

async function openSessions({ config, pipeline, clock }: KindPlace): Promise<PipelineKind> {
  const { input, output, rules } = pipeline;
  const registry = config.schemaRegistry && new HttpSchemaRegistry({ ...config.schemaRegistry, clock });
  const decoder = await openEventDecoder(input.topic, { format: input.format, registry, clock });
  const encoder = await openSummaryEncoder(output.format, output.topic, registry);
  return sessionKind({ rules, decoder, encoder, tombstones: output.tombstones, outputTopic: output.topic });
}
