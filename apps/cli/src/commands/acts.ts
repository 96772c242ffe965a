// Acts of an operator on a key (Q4) by the brokers, as `flatline windows flush`; those by a running processor are in
// running-entries.ts.
import type { KindName } from '@flatline/base';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { Command } from 'commander';
import type { KeyActFlags } from './acts-action.ts';
import type { CommandContext } from './context.ts';
import { keyActOptions } from './flags.ts';
import { keyAction } from './key-action.ts';

/** `flatline sessions end`, `flatline leases release`. */
export function addKeyAct(group: Command, kind: KindName, act: 'end' | 'release', context: CommandContext): void {
  const { noun } = KIND_WORDS[kind];
  keyActOptions(group.command(act).argument('<key>', `the ${noun}`), kind)
    .description(ACTS[act])
    .addHelpText('after', keyActHelp(group.name(), act))
    .action(
      keyAction<Omit<KeyActFlags, 'key' | 'act' | 'kind'>>(context, async (flags, console) =>
        (await import('./acts-action.ts')).runKeyAct({ ...flags, act, kind }, console, context.shell),
      ),
    );
}

const ACTS = {
  end: 'end the sessions of a key at once: summaries of reason ENDED that say byOperator',
  release: 'release a lease, whatever its token: who waits first gets it',
};

function keyActHelp(group: string, act: string): string {
  return `
Appends a record to the input, which takes effect once the processor has read it. Exits with 1 where nothing lived there as of
the newest commit, and no input behind it is unread.

Examples:
  $ flatline ${group} ${act} anna
`;
}
