// All that the shell knows of each kind: a line for each, or the compiler names the one that lacks.
import type { KindName } from '@flatline/base';
import { z } from 'zod';
import { debounce } from './debounce/debounce.ts';
import type { AnySection } from './form/section.ts';
import type { KindModule } from './kind-module.ts';
import { lease } from './lease/lease.ts';
import { schedule } from './schedule/schedule.ts';
import { session } from './session/session.ts';

const KINDS = { session, lease, debounce, schedule } satisfies {
  readonly [Kind in KindName]: { readonly form: z.ZodType<AnySection & { readonly kind: Kind }> };
};

type Kinds = typeof KINDS;
type Form = Kinds[KindName]['form'];

/** One pipeline of a configuration as a user writes it. */
export type PipelineSection = z.output<Form>;

/** The same, resolved. */
export type PipelineConfig = Parameters<Kinds[KindName]['view']>[0];

/** The values that a pipeline in memory reads of its output. */
export type OutputValue = ReturnType<ReturnType<Kinds[KindName]['atHand']>['read']>;

/** Any kind, to whom its own pipelines are given. */
export type AnyKindModule = KindModule<PipelineConfig, z.ZodType<PipelineSection>, OutputValue>;

/** By what a pipeline, or its section, says of itself. The line of the table is its own, which TypeScript does not follow. */
export function kindOf({ kind }: { readonly kind: KindName }): AnyKindModule {
  return KINDS[kind] as unknown as AnyKindModule;
}

/**
 * The form of a section, by the kind that it says. `error`: words for one that says none. Of a list, not of a first form and
 * others: the compiler would write out each form twice, and so would the types of the package.
 */
export function pipelineForm(
  error: (wrong: { readonly input?: unknown }) => string | undefined,
): z.ZodDiscriminatedUnion<readonly Form[], 'kind'> {
  const forms: readonly Form[] = Object.values(KINDS).map(({ form }) => form);
  return z.discriminatedUnion('kind', forms as readonly [Form, ...Form[]], { error });
}

export { defineReducer, type Reducer, type ReducerDefinition, type ReducerEvent } from '@flatline/kinds/reducing';
export type { AskedRecord, RoutedOutput, RouteFunction } from '@flatline/kinds/routing';
export { type AtHand, type KindAtHand, schemasFor } from './at-hand.ts';
export type { Counted, EntryColumn, Ended, Given, Outage, Reducers, Show, TargetUse } from './kind-module.ts';
export type { KindReaders, RecordReader } from './judging/kind-judging.ts';
export { AROUND_BYTES } from './largest.ts';
export { inputTopicsOf, mergedRules } from './pipeline.ts';
export { presetWords } from './session/presets.ts';
export { foreseenSchedule } from './schedule/foreseen.ts';
export type { SchedulePipeline } from './schedule/settings.ts';
export { statsTopicOf, WINDOW_MS, type WindowName } from './session/stats-settings.ts';
