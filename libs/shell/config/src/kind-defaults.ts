// Defaults of a pipeline's kind that follow from its other settings.
import { KIND_NAMES, type KindName } from '@flatline/base';
import { kindOf } from '@flatline/kind-modules';
import { plainCopy } from './plain-copy.ts';

/**
 * A copy of `root` with what is left out of its pipelines, and without what is set to undefined there: in TypeScript that is left
 * out, too, be it a setting of another kind. Nothing is checked yet: what is no kind has no defaults.
 */
export function withKindDefaults(root: unknown): unknown {
  const copy = plainCopy(root);
  const pipelines: unknown = isSection(copy) ? copy['pipelines'] : undefined;
  for (const pipeline of Array.isArray(pipelines) ? (pipelines as unknown[]) : []) {
    if (!isSection(pipeline)) continue;
    for (const [setting, value] of Object.entries(pipeline))
      if (value === undefined) Reflect.deleteProperty(pipeline, setting);
    const { kind } = pipeline;
    if (isKind(kind)) kindOf({ kind }).fill(pipeline);
  }
  return copy;
}

export function isKind(kind: unknown): kind is KindName {
  return (KIND_NAMES as readonly unknown[]).includes(kind);
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
