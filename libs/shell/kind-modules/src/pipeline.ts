// One pipeline of a resolved configuration: validated, defaults applied. What the rest of the program reads.
import type { DurationMs, KindName, Millis } from '@flatline/base';
import type { HeldTimeRules } from '@flatline/kinds';
import type { RouteRules } from '@flatline/kinds/routing';
import { attributeRules, type AttributesConfig } from './attributes/attribute-settings.ts';

/** Settings of pipelines of every kind. */
export interface AnyPipeline {
  readonly kind: KindName;
  readonly name: string;
  readonly input: InputConfig;
  /** All of them, the first one with them, where there are several (S8). */
  readonly inputs?: readonly MergedInputConfig[];
  readonly output: OutputConfig;
  /** Topics that its records may be for beside the output. */
  readonly targets: readonly string[];
  /** Records of other topics that its outputs bring about (P3); undefined: none. */
  readonly routes?: readonly RouteRules[] | undefined;
  readonly deadLetterTopic: string;
  readonly changelogTopic: string;
  readonly group: string;
  readonly heldTime: HeldTimeRules;
  /** No time is held, as `proofIntervalMs` is set and too slow to show an outage (C8). */
  readonly isPacedTooSlowly: boolean;
  /** Most that entries, keys and states of one partition may count (I7); undefined: as much as fits one. */
  readonly maxStateBytes?: number | undefined;
  /** How silence is proved: by a record of the input (C2), or without writing to it (C3). */
  readonly proof: 'record' | 'fetch';
  readonly proofIntervalMs: DurationMs;
  /** How long a close may wait for its commit. */
  readonly closeDelayMs: DurationMs;
  /** C3. */
  readonly clockSkewMs: DurationMs;
  readonly tickMs: DurationMs;
  readonly handoverMs: DurationMs;
  /** 0: never. */
  readonly stoppedRetryMs: DurationMs;
  readonly drainMs: DurationMs;
  readonly changelogFactor: number;
  /** K9 */
  readonly changelogFormat: number;
  readonly truncateLagMs: DurationMs;
  readonly truncateLagBytes: number;
  /** Where a partition that has no state yet begins to read. */
  readonly startFrom: 'earliest' | 'latest' | { readonly timestamp: Millis };
  /** Warm copies of each partition, on other instances. */
  readonly standbys: number;
  /** The pipeline whose deliveries to webhooks it keeps (N3); undefined: it is one of the configuration's own. */
  readonly deliveriesOf?: string | undefined;
}

/** Settings that mean the same in each kind; the others are the kind's to resolve. */
export type SharedPart = Omit<AnyPipeline, 'kind' | 'targets' | 'heldTime' | 'isPacedTooSlowly'>;

interface OutputConfig {
  readonly topic: string;
  readonly format: 'json' | 'avro';
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  /** True if each close, or end of a lease, is followed by its tombstone (O2). */
  readonly tombstones: boolean;
}

/** One input of several. */
export interface MergedInputConfig extends InputConfig {
  /** Its records are activity; else they only add data. */
  readonly touches: boolean;
  /** Decides on a record whose key has no entry. */
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  /** How long it is held. */
  readonly holdMs: DurationMs;
}

/** Topics of all its inputs, in their order. */
export function inputTopicsOf({ input, inputs }: Pick<AnyPipeline, 'input' | 'inputs'>): readonly string[] {
  return (inputs ?? [input]).map(({ topic }) => topic);
}

/** Rules of several inputs that decide something, in the form in which the changelog says them and a checker reads them. */
export function mergedRules(inputs: readonly MergedInputConfig[]): readonly MergedRules[] {
  return inputs.map(({ topic, format, timestampType, maxKeyBytes, touches, unknownKey, holdMs, attributes }) => ({
    topic,
    format,
    timestampType,
    maxKeyBytes,
    touches,
    unknownKey,
    holdMs,
    ...(attributes && { attributes: attributeRules(attributes) }),
  }));
}

type MergedRules = Pick<
  MergedInputConfig,
  'topic' | 'format' | 'timestampType' | 'maxKeyBytes' | 'touches' | 'unknownKey' | 'holdMs'
> & { readonly attributes?: ReturnType<typeof attributeRules> };

interface InputConfig {
  readonly topic: string;
  readonly format: 'auto' | 'json' | 'avro';
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  /** By what producers choose a key's partition; `any`: by something else, which nothing checks (I9). */
  readonly partitioner: 'murmur2' | 'any';
  readonly maxKeyBytes: number;
  readonly maxFutureMs: DurationMs;
  readonly maxLeadMs: DurationMs;
  readonly liveWithinMs: DurationMs;
  /** Which attributes of its records get in (E1); left out: all, as they are. */
  readonly attributes?: AttributesConfig;
}
