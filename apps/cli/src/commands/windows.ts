import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';
import { keyActOptions } from './flags.ts';
import { keyAction } from './key-action.ts';
import type { WindowAct, WindowActFlags } from './windows-action.ts';

export function addWindowCommands(windows: Command, context: CommandContext): void {
  addEntryCommands(windows, 'debounce', context);
  for (const act of Object.keys(ACTS) as WindowAct[])
    keyActOptions(windows.command(act).argument('<key>', 'the key'), 'debounce')
      .description(ACTS[act])
      .addHelpText('after', ACT_HELP)
      .action(
        keyAction<Omit<WindowActFlags, 'key' | 'act'>>(context, async (flags, console) =>
          (await import('./windows-action.ts')).runWindowAct({ ...flags, act }, console, context.shell),
        ),
      );
}

const ACTS: Readonly<Record<WindowAct, string>> = {
  flush: 'fire the window of a key at once, with the items that it has: a batch of reason FLUSHED',
  cancel: 'cancel the window of a key: a batch of reason CANCELLED, without its items',
};

const ACT_HELP = `
Appends a record to the input, which takes effect once the processor has read it. Exits with 1 where no window was open as of
the newest commit, and no input behind it is unread.

Examples:
  $ flatline windows get doc-17
  $ flatline windows flush doc-17
`;
