import { type Command, InvalidArgumentError, Option } from 'commander';
import { addKeyAct } from './acts.ts';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';
import type { EraseFlags } from './erase-action.ts';
import { clusterOption, configOption, integerFrom, jsonOption, keyActOptions, topicName } from './flags.ts';
import { keyAction } from './key-action.ts';
import type { TailFlags } from './tail-action.ts';

export function addSessionCommands(sessions: Command, context: CommandContext): void {
  sessions
    .command('tail')
    .description('print closed sessions as they are committed, until Ctrl-C')
    .option('--topic <topic>', 'the output topic (default: the one of the configuration)', topicName)
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one of kind session)')
    .option('--from-beginning', 'begin with the oldest there is')
    .option('--limit <n>', 'end after so many', integerFrom(1))
    .option('--no-follow', 'print what is there from the beginning, and end')
    .option(
      '--since <instant>',
      'those closed since: ISO 8601 with a zone, or a length of time before now as 30m',
      sinceOption,
    )
    .option('--key <session>', 'only this session')
    .addOption(
      new Option('--format <format>', 'how the topic is written').choices(['auto', 'json', 'avro']).default('auto'),
    )
    .option('--tombstones', 'also print when a session is final')
    .addOption(clusterOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', TAIL_HELP)
    .action(
      context.action<TailFlags>(async (flags, console) =>
        (await import('./tail-action.ts')).runTail(flags, console, context.shell),
      ),
    );
  addEntryCommands(sessions, 'session', context);
  addKeyAct(sessions, 'session', 'end', context);
  keyActOptions(sessions.command('erase').argument('<key>', 'the session'), 'session')
    .description('end a session without a summary, and have nothing of its key left in the changelog; prints a receipt')
    .option('--no-wait', 'only send the act')
    .addHelpText('after', ERASE_HELP)
    .action(
      keyAction<Omit<EraseFlags, 'key'>>(context, async (flags, console) =>
        (await import('./erase-action.ts')).runErase(flags, console, context.shell),
      ),
    );
}

const ERASE_HELP = `
Appends a record to the input, which takes effect once the processor has read it; the processor then writes its changelog again,
and deletes what lies below. The receipt comes once the leader acknowledges that, after truncateLagMs (10 min unless it is set) or
truncateLagBytes: interrupted, the same command goes on. Input, output and dead letters are not covered.

Examples:
  $ flatline sessions erase anna
  $ flatline sessions erase anna --json > receipt.json
`;

const TAIL_HELP = `
Examples:
  $ flatline sessions tail
  $ flatline sessions tail --topic visits --from-beginning --no-follow --json > closed.jsonl
  $ flatline sessions tail --topic visits --limit 1
  $ flatline sessions tail --since 1h --key anna
`;

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds since the epoch; negative: so long before now. */
function sinceOption(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (amount !== '') return -Number(amount) * unitMs[unit]!;
  const at = /\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be like 2026-11-22T12:00:00Z, or like 30m.');
  return at;
}
