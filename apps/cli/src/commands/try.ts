import type { Command } from 'commander';
import type { TryFlags } from '../playground/try-action.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, integerFrom, jsonOption, port, positiveNumber } from './flags.ts';

export function addTryCommand(program: Command, context: CommandContext): void {
  program
    .command('try')
    .description('play with it here: a broker, a processor and a small fleet of sessions, until Ctrl-C')
    .option('--sessions <n>', 'sessions in all (default: until Ctrl-C)', integerFrom(1, 1_000_000))
    .option('--for <seconds>', 'the fleet lives so long; then as with --exit-when-done', positiveNumber)
    .option('--exit-when-done', 'with --sessions: wait for the last close, check all against the ledger, and end')
    .option('--rate <r>', 'heartbeats per second of the whole fleet', positiveNumber, 20)
    .option('--seed <s>', 'same seed, same fleet', integerFrom(0))
    .option('--port <port>', 'port of the broker that is started (default: 9092, or any where that is taken)', port)
    .option('--keep', "the broker's data, the configuration and the state stay")
    .addOption(brokersOption('a broker started by `flatline broker start`, then one of its own'))
    .addOption(jsonOption())
    .addHelpText('after', TRY_HELP)
    .action(
      context.action<TryFlags>(async (flags, console) =>
        (await import('../playground/try-action.ts')).runTry(flags, console, context.shell),
      ),
    );
}

const TRY_HELP = `
It writes a configuration and a visitor in JavaScript to .flatline/try in this folder, and says what to type beside it. All
of that, the broker it has started and its data go with it, unless --keep is given; its topics on a broker that was there
already stay. A broker needs Docker, or Java 17 or newer with Maven 3.8 or newer. The first one with Java fetches Kafka,
about 45 MB, into the user's cache folder (in a checkout, into it), where it stays.

Examples:
  $ flatline try
  $ flatline try --sessions 20 --exit-when-done
  $ flatline try --keep --port 9192
  $ flatline try --brokers localhost:9092
`;
