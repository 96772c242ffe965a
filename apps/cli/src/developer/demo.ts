import type { Command } from 'commander';
import type { ConfigurationFlags } from '../configuration.ts';
import { playDemo } from './demo/demo.ts';
import { onStage } from './demo/demo-stage.ts';
import { type ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import type { CommandContext } from '../commands/context.ts';
import { brokersOption, integerFrom, jsonOption, positiveNumber } from '../commands/flags.ts';

interface DemoFlags extends ConfigurationFlags {
  readonly sessions?: number;
  readonly for?: number;
  readonly exitWhenDone?: boolean;
  readonly rate: number;
  readonly seed?: number;
  readonly json?: boolean;
}

const SEEDS_MAX = 2 ** 31;

export function addDemoCommand(program: Command, context: CommandContext): void {
  program
    .command('demo')
    .description('watch sessions close as they fall silent: a real broker, a processor, a simulated fleet')
    .option('--sessions <n>', 'sessions in all (default: until Ctrl-C)', integerFrom(1, 1_000_000))
    .option('--for <seconds>', 'the fleet lives so long; then as with --exit-when-done', positiveNumber)
    .option('--exit-when-done', 'with --sessions: wait for the last close, check all against the ledger, and end')
    .option('--rate <r>', 'heartbeats per second of the whole fleet', positiveNumber, 1000)
    .option('--seed <s>', 'same seed, same fleet', integerFrom(0))
    .addOption(brokersOption('a broker started by `flatline broker start`, then one of its own'))
    .addOption(jsonOption())
    .addHelpText('after', DEMO_HELP)
    .action(context.action<DemoFlags>((flags, console) => runDemo(flags, console, context.shell)));
}

const DEMO_HELP = `
Every run has topics of its own on the broker that is named or runs here; without one, a broker is started that ends with
the demo and leaves nothing behind.

Examples:
  $ flatline demo
  $ flatline demo --sessions 2000 --exit-when-done
  $ flatline demo --for 30 --rate 5000
`;

async function runDemo(flags: DemoFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { sessions, for: seconds, rate, seed } = flags;
  const exitWhenDone = flags.exitWhenDone === true || seconds !== undefined;
  if (flags.exitWhenDone === true && sessions === undefined && seconds === undefined)
    throw usageFailure('--exit-when-done needs an end: give --sessions or --for');
  const options = {
    sessions,
    ratePerSecond: rate,
    exitWhenDone,
    seed: seed ?? Math.floor(Math.random() * SEEDS_MAX),
    forMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
  };
  return onStage(flags, shell, console, (stage) => playDemo(stage, options, console, shell));
}
