// Records of the logs that are written alike for each kind; those of input and output are read as its kind says.
import {
  letterRecord,
  type LetterRecord,
  type LogRecord,
  plainRecord,
  type WholeRecord,
  type RoutedRecord,
  routedRecord,
} from '@flatline/oracle';
import type { RecordReader } from '@flatline/kind-modules';

export const logRecords: RecordReader<LogRecord> = { prepare: () => Promise.resolve(), read: plainRecord };
export const letters: RecordReader<LetterRecord> = { prepare: () => Promise.resolve(), read: letterRecord };
export const routedRecords: RecordReader<RoutedRecord> = { prepare: () => Promise.resolve(), read: routedRecord };
export const rawRecords: RecordReader<WholeRecord> = { prepare: () => Promise.resolve(), read: (record) => record };
