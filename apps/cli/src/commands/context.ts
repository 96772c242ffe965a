import type { CommandRun, Shell } from '../shell.ts';

/** What every command is built with. */
export interface CommandContext {
  readonly shell: Shell;
  /** Makes a command's run commander's action: flags in, exit code kept. */
  action<Flags extends { readonly json?: boolean }>(run: CommandRun<Flags>): (flags: Flags) => Promise<void>;
}
