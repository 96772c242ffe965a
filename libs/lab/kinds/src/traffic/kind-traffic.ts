// The records sent to a pipeline of a kind on a real broker, by seed.
import type { DurationMs, KindName, Random } from '@flatline/base';
import type { ConfigurationInput } from '@flatline/config';
import type { ProducedRecord } from '@flatline/kafka';

type PipelineInput = ConfigurationInput['pipelines'][number];

export type PipelineSection = Partial<PipelineInput> & Required<Pick<PipelineInput, 'kind'>>;

export interface Act extends Pick<ProducedRecord, 'value' | 'headers'> {
  /** Number of the input it goes to, where there are several. Default: the first, 0. */
  readonly input?: number;
  /** How long before it is sent its producer stamps it. Default: not at all. */
  readonly behindMs?: DurationMs;
  /** True if it may be of no life of its key, and count for nothing (X3). Default: false. */
  readonly mayBeIdle?: boolean;
}

/** Devices simulated by `flatline simulate`, with a ledger: they end in silence, so that sentinels can follow. */
interface FleetSender {
  readonly by: 'fleet';
}

/** Some producers and few keys: entries that live after the last record end by themselves, within seconds. */
export interface ProducersSender {
  readonly by: 'producers';
  /** The next record of a key. `offsets`: of its last records, as far as they are acknowledged. */
  act(random: Random, offsets: readonly number[]): Act;
}

export interface KindTraffic<Kind extends KindName = KindName> {
  /** Plural of the kind's lives, human-readable. */
  readonly plural: string;
  /** Settings of the pipeline in trial `seed`: each time another variant of its kind. Silences end within `timeoutMs`. */
  section(timeoutMs: number, seed: number): PipelineSection & { readonly kind: Kind };
  readonly sender: FleetSender | ProducersSender;
  /** A record that is due by itself at `dueAt`, or once it has been silent for the timeout. */
  lonely(dueAt: number): Act;
}

export function headersOf(headers: Readonly<Record<string, string | number>>): NonNullable<ProducedRecord['headers']> {
  return Object.entries(headers).map(([name, value]) => ({ name, value: Buffer.from(String(value)) }));
}

/** Cycles through the options by seed and, since a scenario's faults recur, with a shift for each cycle. */
export function choice<T>(among: readonly T[], seed: number): T {
  return among[(seed + Math.floor(seed / among.length)) % among.length]!;
}
