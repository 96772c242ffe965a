// From what a test hands over to the pipeline it means: a whole configuration, or one section of `pipelines`.
import {
  type ConfigurationInput,
  type FlatlineConfig,
  type PipelineConfig,
  type Reducer,
  resolveConfiguration,
  type ResolveOptions,
} from '@flatline/config';
import { shown } from './shown.ts';

/** Also as `as const` makes it: nothing of it is changed. */
type Constant<T> = T extends Reducer
  ? T
  : T extends readonly (infer Each)[]
    ? readonly Constant<Each>[]
    : T extends object
      ? { readonly [Name in keyof T]: Constant<T[Name]> }
      : T;

/** One pipeline as a configuration has it, without the rest. In TypeScript written `as const`, so that its kind is known. */
export type PipelineSection = Constant<ConfigurationInput['pipelines'][number]>;

/** A whole configuration, as a file exports it, or one section of its `pipelines`. */
export type TestedConfiguration = Constant<ConfigurationInput> | PipelineSection;

/** Settings that make a section a whole configuration. The registry is never asked. */
const AROUND = {
  application: 'test',
  brokers: ['127.0.0.1:9092'],
  schemaRegistryUrl: 'http://127.0.0.1:8081',
} as const;

export interface Wish {
  /** Called so in messages. */
  readonly call: string;
  readonly pipeline: string | undefined;
  readonly reducers: NonNullable<ResolveOptions['reducers']>;
}

/** @throws ConfigurationError, TypeError */
export function pipelineOf(config: unknown, { call, pipeline, reducers }: Wish): PipelineConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new TypeError(
      `${call}: the configuration is ${shown(config)}: give a configuration, or one section of its pipelines`,
    );
  const document = 'pipelines' in config ? config : { ...AROUND, pipelines: [config] };
  // Nothing is connected to, so no secret is looked for.
  const resolved = resolveConfiguration(document, { source: call, folder: '.', environment: {}, uses: [], reducers });
  return chosen(resolved, call, pipeline);
}

function chosen({ pipelines }: FlatlineConfig, call: string, name: string | undefined): PipelineConfig {
  const names = pipelines.map((each) => each.name).join(', ');
  const found = name === undefined ? pipelines : pipelines.filter((each) => each.name === name);
  if (found.length === 1) return found[0]!;
  if (name !== undefined) throw new TypeError(`${call}: pipeline is ${shown(name)}: the configuration has ${names}`);
  throw new TypeError(`${call}: the configuration has ${names}: say which, as { pipeline: '${pipelines[0]!.name}' }`);
}
