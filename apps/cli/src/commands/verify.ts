import type { ReachCounter } from '@flatline/oracle';
import { REACH_COUNTERS } from '@flatline/oracle/reach';
import { type Command, InvalidArgumentError } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, jsonOption, sinceOption } from './flags.ts';
import type { VerifyFlags } from './verify-action.ts';

export function addVerifyCommand(program: Command, context: CommandContext): void {
  program
    .command('verify')
    .description(
      `check input, changelog and output against the rules; exit code ${ExitCode.failedCheck} on a violation, with what and where`,
    )
    .option('--pipeline <name>', 'only this pipeline of the configuration (default: all)')
    .option('--ledger <file>', 'ledger of `flatline simulate --ledger`: nothing it says was sent may be missing')
    .option('--reach <counter=n...>', 'how often something must have happened for the run to prove anything', reachOf)
    .option('--complete', 'all work is done: every input record must be covered by a commit, and everything due closed')
    .option(
      '--since <time|offset>',
      'judge what came from there on: ISO 8601 with a zone, or an input offset',
      sinceOption,
    )
    .option('--state-dir <folder>', 'also compare the local stores there, of a processor that was stopped')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP)
    .action(
      context.action<VerifyFlags>(async (flags, console) =>
        (await import('./verify-action.ts')).runVerify(flags, console, context.shell),
      ),
    );
}

const NAMES_PER_LINE = 7;

const VERIFY_HELP = `
Reads the topics up to their present ends and changes nothing. Every session that the input opened must be closed once, as the
input says, in the transaction that says so in the changelog; likewise every lease, window and schedule. Of outputs that go to
webhooks, what is kept and given up is judged, too. Processors may run meanwhile: what they do while this reads is left out.

Counters for --reach:
${linesOf(REACH_COUNTERS)}

Examples:
  $ flatline verify
  $ flatline verify --config shop.config.json --ledger fleet.jsonl
  $ flatline verify --since 2026-11-02T08:00:00Z
  $ flatline verify --json --reach claims=5 abortedTransactions=1
`;

function linesOf(names: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at < names.length; at += NAMES_PER_LINE)
    lines.push(`  ${names.slice(at, at + NAMES_PER_LINE).join(', ')}`);
  return lines.join(',\n');
}

function reachOf(
  text: string,
  former: Partial<Record<ReachCounter, number>> = {},
): Partial<Record<ReachCounter, number>> {
  const [name = '', least = ''] = text.split('=');
  const counter = REACH_COUNTERS.find((each) => each === name);
  if (counter === undefined || !/^\d{1,9}$/.test(least))
    throw new InvalidArgumentError(
      `It must be counter=number, for example claims=3; counters: ${REACH_COUNTERS.join(', ')}.`,
    );
  return { ...former, [counter]: Number(least) };
}
