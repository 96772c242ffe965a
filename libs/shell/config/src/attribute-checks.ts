// Checks of `input.attributes` (E1): what it says must be obeyed, and the changelog must hold it.
import { kindOf, type PipelineSection } from '@flatline/kind-modules';
import { ATTRIBUTE_NAMES_BYTES_MAX } from '@flatline/kind-modules/form';
import { type CrossFinding, finding } from './cross-finding.ts';

type Input = Exclude<PipelineSection['input'], readonly unknown[]>;

export function attributeChecks(pipeline: PipelineSection, at: string): CrossFinding[] {
  const inputs = [pipeline.input].flat();
  const found = inputs.flatMap(({ attributes }, i) =>
    attributes === undefined
      ? []
      : ofOne(pipeline, inputs[i]!, Array.isArray(pipeline.input) ? `${at}.input[${i}]` : `${at}.input`),
  );
  const names = inputs.flatMap(({ attributes }) => [...(attributes?.allow ?? []), ...(attributes?.hash ?? [])]);
  const bytes = Buffer.byteLength(JSON.stringify(names));
  if (bytes <= ATTRIBUTE_NAMES_BYTES_MAX) return found;
  const problem = `names of attributes of at most ${ATTRIBUTE_NAMES_BYTES_MAX} bytes together, as JSON: each change of settings is said in the changelog`;
  return [...found, finding(`${at}.input`, `${bytes} bytes`, problem)];
}

function ofOne(pipeline: PipelineSection, { format, attributes = {} }: Input, at: string): CrossFinding[] {
  const { allow, hash, hashKey } = attributes;
  const setting = `${at}.attributes`;
  const { obeys } = kindOf(pipeline);
  if (!obeys.attributes) {
    const problem = `records of ${pipeline.kind} pipelines have no attributes: what they hold is their value, whole; leave it out`;
    return [finding(setting, undefined, problem)];
  }
  if (attributes.at !== undefined && !obeys.attributePlaces)
    return [finding(`${setting}.at`, attributes.at, `a ${pipeline.kind} is asked for by events; leave it out`)];
  if (attributes.at !== undefined && format !== 'json')
    return [
      finding(`${at}.format`, format, '"json" with attributes.at, which is a place in JSON (rule S8)', [
        `${setting}.at`,
      ]),
    ];
  if (attributes.at === undefined && allow === undefined && hash === undefined)
    return [
      finding(
        setting,
        undefined,
        'says neither allow nor hash: name the attributes that get in (allow; [] for none), or those of which a hash does (hash)',
      ),
    ];
  if (hash !== undefined && hashKey === undefined)
    return [
      finding(`${setting}.hashKey`, undefined, 'is missing; hash needs it: { "file": "…" } or { "env": "…" }', [
        `${setting}.hash`,
      ]),
    ];
  if (hash !== undefined || hashKey === undefined) return [];
  return [finding(`${setting}.hashKey`, hashKey, 'says nothing without hash: name what is hashed, or leave it out')];
}
