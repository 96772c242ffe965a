import { kindOf, type PipelineConfig } from '@flatline/kind-modules';
import type { RulesByKind } from '@flatline/oracle';

/** The rules by which a pipeline's logs are judged. */
export async function rulesOf<Pipeline extends PipelineConfig>(
  pipeline: Pipeline,
): Promise<RulesByKind[Pipeline['kind']]> {
  const { input, output, heldTime, proof, changelogFactor, maxStateBytes: stateBytesMax } = pipeline;
  const { timestampType, maxKeyBytes } = input;
  const { tombstones } = output;
  const { rules } = await kindOf(pipeline).judging();
  const common = { timestampType, maxKeyBytes, stateBytesMax, tombstones, proof, changelogFactor };
  return rules(pipeline, { ...heldTime, ...common }) as RulesByKind[Pipeline['kind']];
}
