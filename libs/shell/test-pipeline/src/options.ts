// Options of a test beside its configuration and its records, and their checks.
import { didYouMean, type Millis } from '@flatline/base';
import type { DebounceReducer } from '@flatline/kinds/debounce';
import type { Headers } from './input-record.ts';
import { shown } from './shown.ts';
import type { Instant } from './times.ts';

export interface TestPipelineOptions {
  /**
   * The instant at which virtual time begins, in milliseconds since the epoch, as a `Date`, or in ISO 8601 with a zone. Default:
   * "2026-01-01T00:00:00Z".
   */
  readonly startAt?: Instant;
  /** How many partitions the input has. Default: 1. */
  readonly partitions?: number;
  /** Which of the configuration's pipelines. Default: the only one. */
  readonly pipeline?: string;
  /** Functions of pipelines with `reducer: 'custom'`, by name, as `createProcessor` takes them. Default: none. */
  readonly reducers?: Readonly<Record<string, DebounceReducer>>;
  /** Avro schemas (JSON text) of what is sent in Avro, by the id in its wire format. Default: none. */
  readonly schemas?: Readonly<Record<number, string>>;
}

export interface SendOptions {
  /** When it is sent, which time passes until first; not before the present. Default: at the present instant, in milliseconds. */
  readonly at?: Instant;
  /** Default: none. */
  readonly headers?: Headers;
  /** Default: the one that Kafka's default partitioner gives the key, the first without a key. */
  readonly partition?: number;
  /** Which of several inputs it comes to, by its topic. Default: the first. */
  readonly topic?: string;
  /** The producer's stamp, on an input with `timestampType: 'CreateTime'` only. Default: the instant at which it is sent, in milliseconds. */
  readonly timestamp?: Instant;
}

/** A record of an input topic, as a consumer got it: of kafkajs, `{ partition, ...message }`. */
export interface ReplayedRecord {
  readonly key: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  /** As it lies in the topic, in milliseconds since the epoch. */
  readonly timestamp: Millis | string;
  readonly headers?: Headers | undefined;
  /** Default: 0. */
  readonly partition?: number;
  /** Which of several inputs it lay in, by its topic. Default: the first. */
  readonly topic?: string | undefined;
  /** Where it lies. Default: after the one before. */
  readonly offset?: number | string;
}

/** Ties each list of names to its interface, by the compiler. */
type Names<Options> = Readonly<Record<keyof Options, true>>;
const PIPELINE_OPTIONS: Names<TestPipelineOptions> = {
  startAt: true,
  partitions: true,
  pipeline: true,
  reducers: true,
  schemas: true,
};
const SEND_OPTIONS: Names<SendOptions> = { at: true, headers: true, partition: true, topic: true, timestamp: true };

/** @throws TypeError */
export function checkPipelineOptions(call: string, options: unknown): void {
  checkNames(call, options, PIPELINE_OPTIONS);
}

/** @throws TypeError */
export function checkSendOptions(call: string, options: unknown): void {
  checkNames(call, options, SEND_OPTIONS);
}

function checkNames(call: string, options: unknown, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known);
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${call}: the options are ${shown(options)}: give an object with ${names.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = didYouMean(unknown, names);
  throw new TypeError(
    `${call}: there is no option ${unknown}${meant === '' ? '.' : meant} There are ${names.join(', ')}`,
  );
}

/** @throws TypeError */
export function wholeNumber(
  call: string,
  what: string,
  value: unknown,
  { least, most }: { least: number; most: number },
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`${call}: ${what} is ${shown(value)}: give a whole number from ${least} to ${most}`);
}
