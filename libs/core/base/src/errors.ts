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
   * True if a topic or a broker setting is in the way: another try succeeds once that is fixed. Otherwise the log is not what was
   * read (R3), and going on unprompted would hide it. Default: as for `cause`.
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

/**
 * True if the thrown value names what its supervisor must do. Anything else is a defect of ours, a broken assumption among them.
 */
export function isConsequence(error: unknown): boolean {
  return error instanceof ConsequenceError;
}

/**
 * Returns the message of a thrown value, which may be anything: code of others throws it, too. Goes by shape: an error of another
 * realm is no instance of this one's `Error`.
 */
export function messageOf(error: unknown): string {
  return saidOf(error, (thrown) => {
    const message = (thrown as { readonly message?: unknown } | null | undefined)?.message;
    return typeof message === 'string' ? message : String(thrown);
  });
}

/** Returns `TypeError: …`: a defect's name says as much as its message. A plain error's name says nothing. */
export function namedMessageOf(error: unknown): string {
  return saidOf(error, (thrown) => {
    if (!(thrown instanceof Error)) return String(thrown);
    return thrown.name === 'Error' ? thrown.message : `${thrown.name}: ${thrown.message}`;
  });
}

/** A thrown value may itself throw when it is asked: an object without a prototype has no text, and a getter does as it likes. */
function saidOf(error: unknown, words: (error: unknown) => string): string {
  try {
    return words(error);
  } catch {
    return `something without a message (${typeof error})`;
  }
}
