import { type Command, Option } from 'commander';
import type { SimulateFlags } from '../playground/simulate-action.ts';
import type { CommandContext } from './context.ts';
import {
  clusterOption,
  configOption,
  integerFrom,
  jsonOption,
  positiveNumber,
  probability,
  topicName,
} from './flags.ts';

export function addSimulateCommand(program: Command, context: CommandContext): void {
  program
    .command('simulate')
    .description('send the heartbeats of a simulated fleet, and keep a ledger of the truth')
    .requiredOption('--topic <topic>', 'input topic the heartbeats go to', topicName)
    .requiredOption('--sessions <n>', 'sessions in all', integerFrom(1))
    .requiredOption('--rate <r>', 'heartbeats per second of the whole fleet', positiveNumber)
    .option('--heartbeat-ms <ms>', 'time between two heartbeats of a session', integerFrom(1), 1000)
    .option('--beats <n>', 'heartbeats per session: between 1 and twice this', integerFrom(1, 1_000_000), 10)
    .option('--duplicates <p>', 'probability that a heartbeat is sent twice', probability, 0)
    .option('--reorder <p>', 'probability that a heartbeat is sent after the next one', probability, 0)
    .option('--lose <p>', 'probability that a heartbeat is never sent', probability, 0)
    .option('--seed <s>', 'same seed, same fleet (default: drawn, and printed)', integerFrom(0))
    .addOption(
      new Option('--format <format>', 'bare: no value; json, avro: events with a sequence and a time')
        .choices(['bare', 'json', 'avro'])
        .default('bare'),
    )
    .option(
      '--delivery-timeout-ms <ms>',
      'how long heartbeats wait for a broker that is away (default: 120000)',
      integerFrom(1),
    )
    .option('--ledger <file>', 'write the truth about each session here, as JSON lines')
    .addOption(clusterOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', SIMULATE_HELP)
    .action(
      context.action<SimulateFlags>(async (flags, console) =>
        (await import('../playground/simulate-action.ts')).runSimulate(flags, console, context.shell),
      ),
    );
}

const SIMULATE_HELP = `
As many sessions live at a time as the rate needs: rate × heartbeat-ms / 1000. The first and the last heartbeat of a
session are never lost or reordered, so that its ledger can be compared with its summary.

Examples:
  $ flatline simulate --topic visit-events --sessions 1000 --rate 500
  $ flatline simulate --topic visit-events --sessions 100000 --rate 20000 --format json \\
      --duplicates 0.02 --lose 0.01 --reorder 0.01 --seed 7 --ledger truth.jsonl
`;
