import { kindOf, type PipelineConfig } from '@flatline/kind-modules';
import type { RulesByKind } from '@flatline/oracle';

/** The rules by which a pipeline's logs are judged. */
export async function rulesOf<Pipeline extends PipelineConfig>(
  pipeline: Pipeline,
): Promise<RulesByKind[Pipeline['kind']]> {
  const { input, output, heldTime, proof, changelogFactor, routes, maxStateBytes: stateBytesMax } = pipeline;
  const { timestampType, maxKeyBytes } = input;
  const { tombstones } = output;
  const { rules } = await kindOf(pipeline).judging();
  const common = { timestampType, maxKeyBytes, stateBytesMax, tombstones, proof, changelogFactor };
  const routed = routes && { routes: routes.map(withCode) };
  return rules(pipeline, { ...heldTime, ...common, ...routed }) as RulesByKind[Pipeline['kind']];
}

/** As the changelog says it, and the function, which the checker runs, too. */
function withCode(route: NonNullable<PipelineConfig['routes']>[number]) {
  return route.record === undefined ? route : { ...route, code: true };
}
