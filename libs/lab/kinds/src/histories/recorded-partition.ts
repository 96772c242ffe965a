// The record of a partition: its logs with everything in them, to be changed before they are judged.
import type { KindName } from '@flatline/base';
import type {
  BatchMark,
  InputRecord,
  LetterRecord,
  LogRecord,
  OpenTransaction,
  OutputRecord,
  StoredEntry,
} from '@flatline/oracle';

export interface RecordedLog<R> {
  records: R[];
  batches: BatchMark[];
  hanging: OpenTransaction[];
}

export interface RecordedPartition {
  readonly kind: KindName;
  readonly partition: number;
  readonly input: RecordedLog<InputRecord>;
  readonly changelog: RecordedLog<LogRecord>;
  readonly output: RecordedLog<OutputRecord>;
  readonly deadLetters: RecordedLog<LetterRecord>;
  store: StoredEntry[];
}
