import type { DurationMs } from '@flatline/base';
import { resolveConfiguration } from '@flatline/config';
import type { Command } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExitCode } from '../exit-code.ts';
import { play } from '../playground/show/play.ts';
import type { Show } from '../playground/show/settings.ts';
import { playOptions, type ShowFlags } from '../playground/show/show-flags.ts';
import { onStage, type Stage } from '../playground/show/stage.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import type { CommandContext } from '../commands/context.ts';
import { brokersOption, integerFrom, jsonOption, positiveNumber } from '../commands/flags.ts';

/** Short, so that the first sessions close within seconds. */
const TIMEOUT_MS: DurationMs = 3000;
const HEARTBEAT_MS: DurationMs = 500;
const END_WITHIN_MS: DurationMs = 500;
/** The processor may still write while it is removed. */
const REMOVAL_TRIES = 5;

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
    .action(context.action<ShowFlags>((flags, console) => runDemo(flags, console, context.shell)));
}

const DEMO_HELP = `
Every run has topics of its own on the broker that is named or runs here; without one, a broker is started that ends with
the demo and leaves nothing behind.

Examples:
  $ flatline demo
  $ flatline demo --sessions 2000 --exit-when-done
  $ flatline demo --for 30 --rate 5000
`;

async function runDemo(flags: ShowFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const options = playOptions(flags);
  const stateDir = mkdtempSync(join(tmpdir(), 'flatline-demo-'));
  try {
    const onReady = (stage: Stage): string => sayWhereToLook(stage, console);
    return await onStage(demoIn(stateDir), flags, shell, console, (stage) =>
      play(stage, { ...options, onReady }, console, shell),
    );
  } finally {
    rmSync(stateDir, { recursive: true, force: true, maxRetries: REMOVAL_TRIES });
  }
}

/** With a dashboard in a browser the terminal goes on beside it. */
function sayWhereToLook({ processor }: Stage, console: Console): string {
  const text = `Watch it in a browser: ${processor.httpAddress}/`;
  console.note(text);
  return text;
}

function demoIn(stateDir: string): Show {
  return {
    name: 'demo',
    timeoutMs: TIMEOUT_MS,
    partitions: 4,
    heartbeatMs: HEARTBEAT_MS,
    beatsMean: 6,
    broker: { keep: false },
    endWithinMs: END_WITHIN_MS,
    configuration: ({ brokers, startedAt }) => {
      // Application and topics carry the time of the start: no earlier run had them.
      const application = `demo-${startedAt.toString(36)}`;
      const pipeline = {
        name: 'sessions',
        kind: 'session',
        timeoutMs: TIMEOUT_MS,
        input: { topic: `${application}.heartbeats` },
        output: { topic: `${application}.closed` },
      };
      // Any free port: a processor that already runs here is no reason for a demo to fail.
      const http = { port: 0 };
      const file = { application, brokers: [...brokers], stateDir, http, pipelines: [pipeline] };
      // No environment: the brokers have been chosen, and whoever sets FLATLINE_ variables means another application.
      return resolveConfiguration(file, { source: 'demo', folder: stateDir, environment: {} });
    },
  };
}
