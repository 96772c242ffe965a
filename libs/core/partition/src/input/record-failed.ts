import { namedMessageOf } from '@flatline/base';

/**
 * Something was thrown while a record was applied, which no record should bring about. What it changed is not known: the task
 * is of no further use, and its successor may have the record refused (`PartitionTask.refuseAt`).
 */
export class RecordFailed extends Error {
  override readonly name = 'RecordFailed';
  readonly offset: number;
  /** The input that it is of, counted from 0. */
  readonly input: number;

  constructor(offset: number, cause: unknown, input = 0) {
    super(`the record at offset ${offset} could not be applied: ${namedMessageOf(cause)}`, { cause });
    this.offset = offset;
    this.input = input;
  }
}
