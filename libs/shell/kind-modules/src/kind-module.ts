// All that the shell knows of a kind beside what it is called (kind-words.ts). What a kind means is the core's.
import type { Clock, DurationMs } from '@flatline/base';
import type { EntryView, PipelineKind, SaidWords, ShownEntry } from '@flatline/kinds';
import type { DebounceReducer } from '@flatline/kinds/debounce';
import type { Reducer, ReducerWatch } from '@flatline/kinds/reducing';
import type { SchemaRegistry } from '@flatline/records';
import type { z } from 'zod';
import type { AtHand, KindAtHand } from './at-hand.ts';
import type { Problem } from './form/problem.ts';
import type { AnySection } from './form/section.ts';
import type { KindIntake } from './intake.ts';
import type { KindJudging } from './judging/kind-judging.ts';
import type { LargestOutput } from './largest.ts';
import type { ReadAsJson } from './output-json.ts';
import type { AnyPipeline, SharedPart } from './pipeline.ts';

export interface KindModule<
  Pipeline extends AnyPipeline,
  Form extends z.ZodType<AnySection>,
  Value extends { readonly kind: string },
> {
  // Configuration
  /** Settings with their defaults: those of its own, each with the words of its row, and those of every kind. */
  readonly form: Form;
  /** Puts in defaults that follow from other settings. Nothing is checked yet: values may be of any type. */
  readonly fill: (written: Record<string, unknown>) => void;
  /** Checks settings against each other. */
  readonly problems: (section: z.output<Form>, given: Given) => readonly Problem[];
  /** From the section to the core's rules. */
  readonly resolve: (section: z.output<Form>, given: Given) => OwnPart<Pipeline>;
  /** `scheduled`: what comes may not be a run of schedules, whose headers it would obey once more (D1). */
  readonly inputUse: 'input' | 'scheduled';
  readonly targetUse: TargetUse;
  readonly obeys: Obedience;

  // Consequences
  /** Formats that decide more than how something is written, by the names under which the changelog keeps them. */
  readonly decisiveFormats: (pipeline: Pipeline) => Readonly<Record<string, string>>;
  /** The silence that ends what is kept by key; undefined: it waits for none. */
  readonly silence: (pipeline: Pick<Pipeline, keyof OwnPart<Pipeline>>) => DurationMs | undefined;
  /** Effects of an outage of the brokers (C8). */
  readonly outage: (pipeline: Pipeline) => Outage;
  readonly largest: (pipeline: Pipeline) => LargestOutput;
  readonly taskSettings: (pipeline: Pipeline) => TaskSettings;

  // At work
  /** @throws Retriable where the registry does not answer. */
  readonly open: (place: KindPlace<Pipeline>) => Promise<PipelineKind>;
  /** The same over schemas at hand, for pipelines in memory. */
  readonly atHand: (pipeline: Pipeline, schemas: AtHand) => KindAtHand<Value>;

  /** Takes records of senders without a Kafka client; a text: why it takes none. */
  readonly intake: KindIntake<Pipeline> | string;

  // To look at
  /** States that outputs of a pipeline tell of (`emit`); undefined: "closed" alone, and more is refused. */
  readonly emits: ((pipeline: Pipeline) => AnySection['emit']) | undefined;
  readonly view: (pipeline: Pipeline) => EntryView;
  /** How its outputs are called. */
  readonly said: SaidWords;
  /** A record of its output as webhooks deliver it. */
  readonly asJson: ReadAsJson;
  /** Behind the key, of each entry that is shown. */
  readonly columns: readonly EntryColumn[];
  readonly metrics: KindMetrics;
  /** Loaded where it is asked for: what runs has no judge in it. */
  readonly judging: () => Promise<KindJudging<Pipeline>>;
}

/**
 * Records on topics beside the output, where a pipeline has some: `statistics`, derived from its outputs (S12), or further `outputs`,
 * where whoever sends names the topic.
 */
export type TargetUse = 'statistics' | 'outputs';

/** Settings of every section that not every kind can obey: true where it does, else they are refused. */
export interface Obedience {
  /** `input` as a list (S8). */
  readonly severalInputs: boolean;
  /** `input.attributes`: its records have some, which are kept out or hashed (E1). */
  readonly attributes: boolean;
  /** `input.attributes.at`: its records are events, and say so where they like (S8). */
  readonly attributePlaces: boolean;
}

/** The kind's own part of its section; the rest of it means the same in each kind. */
export type OwnPart<Pipeline extends AnyPipeline> = Omit<Pipeline, keyof SharedPart>;

/** Values that an application hands over beside its configuration. */
export interface Given {
  /** Functions of pipelines with `reducer: 'custom'`, by name. */
  readonly reducers: Reducers;
}

/** From an application that embeds the processor, by the pipeline that each reduces: by `defineReducer`, or for windows a function. */
export type Reducers = Readonly<Record<string, DebounceReducer | Reducer>>;

export interface Outage {
  /** True if it ends something whose client was only unheard. */
  readonly doesHarm: boolean;
  readonly text: string;
}

/** Settings of tasks that not every kind has. */
export interface TaskSettings {
  /** L3. */
  readonly tokenEpoch?: number;
  /** Due entries of a partition that take effect per second. Default: as many as can. */
  readonly maxDuePerSecond?: number | undefined;
}

export interface KindPlace<Pipeline> {
  readonly pipeline: Pipeline;
  /** undefined: the configuration has none. */
  readonly registry: SchemaRegistry | undefined;
  readonly clock: Clock;
  /** Watches calls of functions of an application that are made for records of a topic. Default: nothing does. */
  readonly watch?: ((topic: string) => ReducerWatch) | undefined;
}

/** A column of `list`. */
export interface EntryColumn {
  readonly name: string;
  readonly width: number;
  /** Narrower it would say nothing. Default: `width`. */
  readonly least?: number;
  /** Where the terminal is too narrow for all, the lowest goes first. Default: always shown. */
  readonly spare?: number;
  /** Nothing need be escaped. undefined: it says nothing of this one. */
  readonly text: (entry: ShownEntry, show: Show) => string | number | Uint8Array | undefined;
}

/** How times and the like are written there. */
export interface Show {
  readonly time: (at: unknown) => string;
  readonly duration: (ms: number) => string;
  readonly attributes: (attributes: unknown) => string;
}

/** `Counter`: names of the counters that the kind has. */
export interface KindMetrics<Counter extends string = string> {
  readonly counted: Counted<Counter>;
  /** Counters that say what lives now. */
  readonly gauged?: Counted<Counter>;
  /** How entries end, by reason: the counters of which a dashboard makes one picture. */
  readonly endings: Readonly<Record<string, Counter>>;
  /** One metric for all of them, told apart by the label `reason`. Default: none. */
  readonly ended?: Ended;
}

/** By metric name: a counter of the task, and what it counts. */
export type Counted<Counter extends string = string> = Readonly<
  Record<string, readonly [counter: Counter, help: string]>
>;

export interface Ended {
  readonly name: string;
  readonly help: string;
}
