// Acts of an operator on entries of every kind (Q4): those on a key by the brokers, as `flatline windows flush`; those by a running
// processor under `flatline entries`.
import type { KindName } from '@flatline/base';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { type Command, Option } from 'commander';
import type { EvictFlags, KeyActFlags, ProcessorActFlags } from './acts-action.ts';
import type { CommandContext } from './context.ts';
import {
  caOption,
  configOption,
  httpAddress,
  httpPortOption,
  jsonOption,
  keyActOptions,
  tokenFileOption,
} from './flags.ts';

/** `flatline sessions end`, `flatline leases release`. */
export function addKeyAct(group: Command, kind: KindName, act: 'end' | 'release', context: CommandContext): void {
  const { noun } = KIND_WORDS[kind];
  keyActOptions(group.command(act).argument('<key>', `the ${noun}`), kind)
    .description(ACTS[act])
    .addHelpText('after', keyActHelp(group.name(), act))
    .action(async (key: string, flags: Omit<KeyActFlags, 'key' | 'act' | 'kind'>) => {
      await context.action<KeyActFlags>(async (all, console) =>
        (await import('./acts-action.ts')).runKeyAct(all, console, context.shell),
      )({ ...flags, key, act, kind });
    });
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

/** `flatline entries`: by a running processor, of whichever kind its pipeline is. */
export function addEntriesGroup(program: Command, context: CommandContext): void {
  const group = program
    .command('entries')
    .description('have a running processor end entries: one, or all with an attribute');
  const shared = (command: Command): Command =>
    command
      .option('--pipeline <name>', "which of the processor's pipelines (default: its only one)")
      .addOption(
        new Option(
          '--url <address>',
          "where an instance answers over HTTP (default: the configuration's http.host and http.port)",
        ).argParser(httpAddress),
      )
      .addOption(httpPortOption())
      .addOption(tokenFileOption())
      .addOption(caOption())
      .addOption(configOption())
      .addOption(jsonOption());
  shared(group.command('end').argument('<key>', 'the session'))
    .description(ACTS.end)
    .addHelpText('after', ENTRIES_HELP)
    .action(async (key: string, flags: Omit<ProcessorActFlags, 'key'>) => {
      await context.action<ProcessorActFlags>(async (all, console) =>
        (await import('./acts-action.ts')).runEnd(all, console, context.shell),
      )({ ...flags, key });
    });
  shared(group.command('evict'))
    .description('end all sessions, or leases, that have an attribute of a value: reason EVICTED')
    .requiredOption('--attribute <name>', 'the attribute')
    .requiredOption('--equals <value>', 'its value, as summaries show it')
    .addHelpText('after', ENTRIES_HELP)
    .action(
      context.action<EvictFlags>(async (flags, console) =>
        (await import('./acts-action.ts')).runEvict(flags, console, context.shell),
      ),
    );
}

const ENTRIES_HELP = `
A running processor appends the act to its input, of an eviction one record in each partition, and says where it lies. It takes
effect as of that record: what is heard of later is another session.

Examples:
  $ flatline entries end anna --url http://10.0.0.7:7070
  $ flatline entries evict --attribute gateway --equals g7
`;
