import type { CommandRun } from '../shell.ts';
import type { CommandContext } from './context.ts';

/** As `CommandContext.action`, of a command whose argument is a key. */
export function keyAction<Flags extends { readonly json?: boolean }>(
  context: CommandContext,
  run: CommandRun<Flags & { readonly key: string }>,
): (key: string, flags: Flags) => Promise<void> {
  return (key, flags) => context.action(run)({ ...flags, key });
}
