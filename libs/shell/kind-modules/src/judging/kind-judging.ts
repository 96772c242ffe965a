// A checker's view of a kind: the rules by which the oracle judges its logs, and the readers of its records.
import type { InputRecord, OutputRecord, PartitionHistory, RawRecord, RulesByKind } from '@flatline/oracle';
import type { SchemaRegistry } from '@flatline/records';
import type { AnyPipeline } from '../pipeline.ts';

export interface KindJudging<Pipeline extends AnyPipeline> {
  readonly rules: (pipeline: Pipeline, common: CommonJudged) => RulesByKind[Pipeline['kind']];
  readonly readers: (pipeline: Pipeline, registry: SchemaRegistry | undefined, settings: Settings) => KindReaders;
}

/** Rules that are judged alike in each kind. */
export type CommonJudged = Pick<
  RulesByKind['session'],
  | 'timestampType'
  | 'maxKeyBytes'
  | 'tombstones'
  | 'proof'
  | 'unheardMs'
  | 'maxHoldMs'
  | 'changelogFactor'
  | 'routes'
  | 'stateBytesMax'
>;

/** Settings by which the records of the input were applied, as far as the changelog says it. */
export type Settings = NonNullable<PartitionHistory['settings']>;

export interface RecordReader<R> {
  /** Fetches what `read` needs for these records. @throws Retriable where the registry does not answer. */
  prepare(records: readonly RawRecord[]): Promise<void>;
  read(record: RawRecord): R;
}

export interface KindReaders {
  readonly input: RecordReader<InputRecord>;
  /** Readers of the inputs behind the first (S8). Default: there are none. */
  readonly furtherInputs?: readonly RecordReader<InputRecord>[];
  readonly output: RecordReader<OutputRecord>;
}
