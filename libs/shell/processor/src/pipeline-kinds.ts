// The kind that a pipeline's section of the configuration asks for: a line for each, or the compiler names the one that lacks.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import type {
  DebouncePipeline,
  FlatlineConfig,
  LeasePipeline,
  PipelineConfig,
  SchedulePipeline,
  SessionPipeline,
} from '@flatline/config';
import { debounceView, type EntryView, leaseView, type PipelineKind, scheduleView, sessionView } from '@flatline/kinds';
import type { OutgoingRecord } from '@flatline/ports';
import {
  HttpSchemaRegistry,
  openBatchEncoder,
  openEventDecoder,
  openLeaseEventEncoder,
  openRequestDecoder,
  openSummaryEncoder,
} from '@flatline/records';
import { foreseen } from '@flatline/schedules';
import { leasesOf, schedulesOf, sessionsOf, windowsOf } from './assembled-kinds.ts';
import { systemCalendar } from './calendar/system-calendar.ts';
import {
  largestDebounceRecords,
  type LargestRecords,
  largestLeaseRecords,
  largestScheduleRecords,
  largestSessionRecords,
} from './largest-records.ts';

export interface KindPlace<Pipeline extends PipelineConfig = PipelineConfig> {
  readonly config: FlatlineConfig;
  readonly pipeline: Pipeline;
  readonly clock: Clock;
}

/** A kind as configured. */
interface ConfiguredKind<Pipeline extends PipelineConfig> {
  /** @throws Retriable where the registry does not answer. */
  readonly open: (place: KindPlace<Pipeline>) => Promise<PipelineKind>;
  readonly largest: (pipeline: Pipeline) => LargestRecords;
  readonly view: (pipeline: Pipeline) => EntryView;
  /** The silence that ends what is kept by key; undefined: schedules wait for none. */
  readonly silence: (pipeline: Pipeline) => DurationMs | undefined;
}

type Kinds = { readonly [Pipeline in PipelineConfig as Pipeline['kind']]: ConfiguredKind<Pipeline> };

const KINDS: Kinds = {
  session: {
    open: openSessions,
    largest: largestSessionRecords,
    view: ({ rules }) => sessionView(rules),
    silence: ({ rules }) => rules.timeoutMs,
  },
  lease: {
    open: openLeases,
    largest: largestLeaseRecords,
    view: () => leaseView,
    silence: ({ rules }) => rules.timeoutMs,
  },
  debounce: {
    open: openDebounce,
    largest: largestDebounceRecords,
    view: () => debounceView,
    silence: ({ rules }) => rules.waitMs,
  },
  schedule: {
    open: openSchedules,
    largest: largestScheduleRecords,
    view: () => scheduleView,
    silence: () => undefined,
  },
};

/** The line of the table is that of the pipeline's own kind, which TypeScript does not follow. */
function kindOf({ kind }: PipelineConfig): ConfiguredKind<PipelineConfig> {
  return KINDS[kind] as ConfiguredKind<PipelineConfig>;
}

/** @throws Retriable where the registry does not answer. */
export function openKind(place: KindPlace): Promise<PipelineKind> {
  return kindOf(place.pipeline).open(place);
}

/** How long the records may become that a pipeline's limits allow. */
export function largestRecords(pipeline: PipelineConfig): LargestRecords {
  return kindOf(pipeline).largest(pipeline);
}

/** Topics that its records may be for beside the output. */
export function targetsOf(pipeline: PipelineConfig): readonly string[] {
  return pipeline.kind === 'schedule' ? pipeline.rules.targets : [];
}

/** How a pipeline's live entries are shown. */
export function viewOf(pipeline: PipelineConfig): EntryView {
  return kindOf(pipeline).view(pipeline);
}

/** The silence that ends what a pipeline keeps, where it waits for one. */
export function silenceOf(pipeline: PipelineConfig): DurationMs | undefined {
  return kindOf(pipeline).silence(pipeline);
}

async function openSessions({ config, pipeline, clock }: KindPlace<SessionPipeline>): Promise<PipelineKind> {
  const { input, output } = pipeline;
  const registry = registryOf(config, clock);
  const decoder = await openEventDecoder(input.topic, { format: input.format, registry, clock });
  const encoder = await openSummaryEncoder(output.format, output.topic, registry);
  return sessionsOf(pipeline, { decoder, encoder });
}

async function openLeases({ config, pipeline, clock }: KindPlace<LeasePipeline>): Promise<PipelineKind> {
  const { input, output } = pipeline;
  const registry = registryOf(config, clock);
  const decoder = await openRequestDecoder(input.topic, { format: input.format, registry, clock });
  const encoder = await openLeaseEventEncoder(output.format, output.topic, registry);
  return leasesOf(pipeline, { decoder, encoder });
}

async function openDebounce({ config, pipeline, clock }: KindPlace<DebouncePipeline>): Promise<PipelineKind> {
  const { output } = pipeline;
  return windowsOf(pipeline, await openBatchEncoder(output.format, output.topic, registryOf(config, clock)));
}

function openSchedules({ pipeline }: KindPlace<SchedulePipeline>): Promise<PipelineKind> {
  return Promise.resolve(schedulesOf(pipeline));
}

/** Foresees the outcome of a record of schedules taken at `now`, for whoever is about to send it. */
export function foreseenSchedule(
  { rules }: SchedulePipeline,
  { value, headers = [] }: Pick<OutgoingRecord, 'value' | 'headers'>,
  now: Millis,
): ReturnType<typeof foreseen> {
  const bytes = value ?? new Uint8Array(0);
  return foreseen(
    { headers, bytes, start: 0, length: value === null ? -1 : value.length },
    now,
    rules,
    systemCalendar(),
  );
}

function registryOf({ schemaRegistry }: FlatlineConfig, clock: Clock): HttpSchemaRegistry | undefined {
  return schemaRegistry && new HttpSchemaRegistry({ ...schemaRegistry, clock });
}
