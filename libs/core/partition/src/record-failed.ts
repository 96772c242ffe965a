/** Reason of a dead letter that says something of us, not of the record: it could not be processed (I6). */
export const PROCESSING_FAILED = 'processing-failed';

/**
 * Something was thrown while a record was applied, which no record should bring about. What it changed is not known: the task
 * is of no further use, and whoever restores it may have the record refused (`PartitionTask.refuseAt`).
 */
export class RecordFailed extends Error {
  override readonly name = 'RecordFailed';
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`the record at offset ${offset} could not be applied: ${messageOf(cause)}`, { cause });
    this.offset = offset;
  }
}

/** `TypeError: …`: of a defect the kind says as much as the message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
