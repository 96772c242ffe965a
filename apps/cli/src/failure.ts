// The one place where errors become what a user reads and what a script sees.
import {
  Corrupt,
  Fatal,
  Fenced,
  messageOf,
  Misconfigured,
  PartitionStopped,
  Retriable,
  StateInUse,
} from '@flatline/base';
import { ConfigurationError } from '@flatline/config/errors';
import { CommanderError } from 'commander';
import { ExitCode } from './exit-code.ts';

/** An expected failure of a command. The message names the flag, file or topic, the value, and what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Wrong flags, files or topics: nothing was changed. */
export function usageFailure(message: string): CommandFailure {
  return new CommandFailure(ExitCode.usage, message);
}

/** `before`: what had not happened yet. */
export function interruptedBefore(before: string): CommandFailure {
  return new CommandFailure(ExitCode.interrupted, `interrupted before ${before}`);
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  /** Set for defects only: users are not shown stack traces for what they can mend themselves. */
  readonly stack: string | undefined;
}

export function failureOf(error: unknown): Failure {
  const exitCode = exitCodeOf(error);
  const message = messageOf(error);
  const stack = exitCode === ExitCode.internal && error instanceof Error ? error.stack : undefined;
  return { exitCode, message, stack };
}

/** An uncaught error is a defect, whatever it is. */
export function crashOf(error: unknown): Failure {
  return { ...failureOf(error), exitCode: ExitCode.internal, stack: error instanceof Error ? error.stack : undefined };
}

const wrongInput = [CommanderError, ConfigurationError, Misconfigured];
const needsOperator = [Fatal, PartitionStopped, Fenced, Corrupt];

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (wrongInput.some((wrong) => error instanceof wrong)) return ExitCode.usage;
  if (error instanceof StateInUse) return ExitCode.stateInUse;
  if (error instanceof Retriable) return ExitCode.unreachable;
  if (needsOperator.some((consequence) => error instanceof consequence)) return ExitCode.partitionStopped;
  return ExitCode.internal;
}
