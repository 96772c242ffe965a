// What producers do to a pipeline that is not of sessions: small loads, by seed.
import type { Random } from '@flatline/base';
import type { ConfigurationInput, PipelineConfig } from '@flatline/config';
import type { ProducedRecord } from '@flatline/kafka';

/** Sessions have a fleet of their own. */
export type LoadedKind = Exclude<PipelineConfig['kind'], 'session'>;

export type PipelineSection = Partial<ConfigurationInput['pipelines'][number]>;

export type Act = Pick<ProducedRecord, 'value' | 'headers'>;

export interface Traffic {
  /** What is kept, human-readable. */
  readonly plural: string;
  /** The pipeline's settings of trial `seed`: another way of its kind each time. What ends in silence does within `timeoutMs`. */
  section(timeoutMs: number, seed: number): PipelineSection;
  /** The next record of a key. `offsets`: where its last records lie, as far as they are acknowledged. */
  act(random: Random, offsets: readonly number[]): Act;
  /** A record that is due by itself at `dueAt`, or once it has been silent for the timeout. */
  lonely(dueAt: number): Act;
}

export function headersOf(headers: Readonly<Record<string, string | number>>): NonNullable<ProducedRecord['headers']> {
  return Object.entries(headers).map(([name, value]) => ({ name, value: Buffer.from(String(value)) }));
}

/** Another one for each next seed and, since a scenario's faults recur, for each nth. */
export function choice<T>(among: readonly T[], seed: number): T {
  return among[(seed + Math.floor(seed / among.length)) % among.length]!;
}
