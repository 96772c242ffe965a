// Errors are named by what the supervisor must do with them. Adapters translate foreign errors into these at their
// edge, totally; expected outcomes of the domain are unions and are never thrown.

abstract class ConsequenceError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Another owner holds the transactional id or the membership: drop the task, write nothing more. */
export class Fenced extends ConsequenceError {
  override readonly name = 'Fenced';
}

/** Local state cannot be trusted: wipe it and restore from the changelog (R2). */
export class Corrupt extends ConsequenceError {
  override readonly name = 'Corrupt';
}

/** May pass if tried again, with bounded back-off. */
export class Retriable extends ConsequenceError {
  override readonly name = 'Retriable';
}

/** The partition cannot go on without an operator (R3, C6); others go on. The message says what to do. */
export class PartitionStopped extends ConsequenceError {
  override readonly name = 'PartitionStopped';
  /**
   * What is in the way is a topic or a setting of the brokers: another try goes on once that is mended. Otherwise the log is not
   * what was read (R3), and going on by itself would hide it. By default as `cause` says.
   */
  readonly isMendable: boolean;

  constructor(
    message: string,
    cause?: unknown,
    { isMendable = cause instanceof PartitionStopped && cause.isMendable }: { readonly isMendable?: boolean } = {},
  ) {
    super(message, cause);
    this.isMendable = isMendable;
  }
}

/** The process cannot go on: drain and exit non-zero. */
export class Fatal extends ConsequenceError {
  override readonly name: string = 'Fatal';
}

/**
 * The process cannot run as it is configured, here or on the brokers, and trying it again changes nothing: exit code 2. The
 * message names the setting.
 */
export class Misconfigured extends Fatal {
  override readonly name = 'Misconfigured';
}

/** Another process has what one alone may have, the state directory or the instance's id: this one may start once that has ended. */
export class StateInUse extends Fatal {
  override readonly name = 'StateInUse';
}

/** Whether what was thrown says what its supervisor must do. What does not is a defect of ours, a broken assumption among them. */
export function isConsequence(error: unknown): boolean {
  return error instanceof ConsequenceError;
}

/** What was thrown, in its own words. By shape: an error of another realm is no instance of this one's `Error`. */
export function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : String(error);
}

/** `TypeError: …`: a defect's name says as much as its message. A plain error's says nothing. */
export function namedMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}
