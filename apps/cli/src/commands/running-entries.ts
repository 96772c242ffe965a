// `flatline entries`: what a running processor knows and does, of whichever kind its pipeline is (Q1, Q4).
import { type Command, Option } from 'commander';
import type { EvictFlags, ProcessorActFlags } from './acts-action.ts';
import type { CommandContext } from './context.ts';
import {
  attributeOption,
  caOption,
  configOption,
  httpAddress,
  httpPortOption,
  integerFrom,
  jsonOption,
  tokenFileOption,
} from './flags.ts';
import { keyAction } from './key-action.ts';
import type { AskFlags, AskListFlags } from './running-entries-action.ts';

/** Most entries of one answer, as the processor has it. */
const LIST_MAX = 1_000;

export function addEntriesGroup(program: Command, context: CommandContext): void {
  const group = program
    .command('entries')
    .description('ask a running processor what lives, and have it end entries: one, or all with an attribute');
  addQuestions(group, context);
  addActs(group, context);
}

function addQuestions(group: Command, context: CommandContext): void {
  byProcessor(group.command('get').argument('<key>', 'its key'))
    .description('show what lives under a key, by the instance that has its partition')
    .option('--base64', 'the key is given in base64')
    .addOption(new Option('--proof <how>', 'now: as of all that was acknowledged before the question').choices(['now']))
    .addHelpText('after', QUESTIONS_HELP)
    .action(
      keyAction<Omit<AskFlags, 'key'>>(context, async (flags, console) =>
        (await import('./running-entries-action.ts')).runAsk(flags, console, context.shell),
      ),
    );
  byProcessor(group.command('list'))
    .description('list what lives in all partitions, in no order, a page at a time')
    .option('--prefix <text>', 'only keys that begin with this')
    .addOption(attributeOption())
    .option('--limit <n>', 'how many entries to list', integerFrom(1, LIST_MAX), 100)
    .option('--after <place>', 'go on where the page before this one says')
    .addHelpText('after', QUESTIONS_HELP)
    .action(
      context.action<AskListFlags>(async (flags, console) =>
        (await import('./running-entries-action.ts')).runAskList(flags, console, context.shell),
      ),
    );
}

function addActs(group: Command, context: CommandContext): void {
  byProcessor(group.command('end').argument('<key>', 'the session'))
    .description('end the sessions of a key at once: summaries of reason ENDED that say byOperator')
    .addHelpText('after', ACTS_HELP)
    .action(
      keyAction<Omit<ProcessorActFlags, 'key'>>(context, async (flags, console) =>
        (await import('./acts-action.ts')).runEnd(flags, console, context.shell),
      ),
    );
  byProcessor(group.command('evict'))
    .description('end all sessions, or leases, that have an attribute of a value: reason EVICTED')
    .requiredOption('--attribute <name>', 'the attribute')
    .requiredOption('--equals <value>', 'its value, as summaries show it')
    .addHelpText('after', ACTS_HELP)
    .action(
      context.action<EvictFlags>(async (flags, console) =>
        (await import('./acts-action.ts')).runEvict(flags, console, context.shell),
      ),
    );
}

function byProcessor(command: Command): Command {
  return command
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
}

const QUESTIONS_HELP = `
Any instance answers, and asks the one that has the partition. Exits with 1 where a key proves to have nothing, with 3 where it
cannot be said now: the partition is moving or restoring. Without a processor, "flatline sessions list" and "get", and those of
the other kinds, read the changelog.

Examples:
  $ flatline entries get anna --url http://10.0.0.7:7070
  $ flatline entries get anna --proof now --json
  $ flatline entries list --prefix eu/ --attribute gateway=g7 --limit 1000
`;

const ACTS_HELP = `
A running processor appends the act to its input, of an eviction one record in each partition, and says where it lies. It takes
effect as of that record: what is heard of later is another session.

Examples:
  $ flatline entries end anna --url http://10.0.0.7:7070
  $ flatline entries evict --attribute gateway --equals g7
`;
