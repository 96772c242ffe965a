// Rules of a pipeline as a checker needs them to judge what it wrote (docs/FORMATS.md, Changelog): the options that decide the
// outputs, by their names, as the changelog keeps them.
import { attributeRules } from '@flatline/kind-modules/attributes';
import { kindOf, mergedRules, type PipelineConfig } from '@flatline/kind-modules';

/** JSON has no word for it. */
const UNLIMITED = 'unlimited';

/** The same text for the same rules, however they were written. What is not set is null. */
export function rulesText(pipeline: PipelineConfig): string {
  const { rules, input, output, heldTime, proof, changelogFactor, routes, maxStateBytes: stateBytesMax } = pipeline;
  const { timestampType, maxKeyBytes } = input;
  const { tombstones } = output;
  const common = { timestampType, maxKeyBytes, tombstones, proof, changelogFactor, stateBytesMax };
  const several = pipeline.inputs && { inputs: mergedRules(pipeline.inputs) };
  const gate = input.attributes && { attributes: attributeRules(input.attributes) };
  const routed = routes && { routes: routes.map(routeText) };
  const kept = {
    ...rules,
    ...heldTime,
    ...common,
    ...several,
    ...gate,
    ...routed,
    ...kindOf(pipeline).decisiveFormats(pipeline),
  };
  const entries = Object.entries(kept)
    // A function of the one who embeds the processor has no text.
    .filter(([, value]) => typeof value !== 'function')
    .map(([name, value]): [string, unknown] => [name, written(value)]);
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** A function has no text: that there is one is said. */
function routeText({ record, ...said }: NonNullable<PipelineConfig['routes']>[number]): object {
  return record === undefined ? said : { ...said, code: true };
}

function written(value: unknown): unknown {
  return value === Infinity ? UNLIMITED : (value ?? null);
}
