// A pipeline's kind over the product's own codecs, with schemas at hand.
import { type KindAtHand, kindOf, type OutputValue, type PipelineConfig, schemasFor } from '@flatline/kind-modules';
import type { EntryView } from '@flatline/kinds';
import type { SchemasAtHand } from '@flatline/records';

export interface TestedKind extends KindAtHand<OutputValue> {
  readonly view: EntryView;
}

export function testedKind(pipeline: PipelineConfig, schemas: SchemasAtHand): TestedKind {
  const module = kindOf(pipeline);
  return { ...module.atHand(pipeline, schemasFor(pipeline, schemas)), view: module.view(pipeline) };
}
