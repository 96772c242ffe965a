import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import { caOption, configOption, httpPortOption, jsonOption, tokenFileOption, urlsOption } from './flags.ts';
import type { ApplicationFlags } from './status-action.ts';

export function addProbeCommand(program: Command, context: CommandContext): void {
  program
    .command('probe')
    .description(
      `show how far the probes of an application's partitions get; exit code ${ExitCode.failedCheck} where one is stuck or an instance is silent, ${ExitCode.unreachable} if none answers`,
    )
    .addOption(urlsOption())
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', PROBE_HELP)
    .action(
      context.action<ApplicationFlags>(async (flags, console) =>
        (await import('./probe-action.ts')).runProbe(flags, console, context.shell),
      ),
    );
}

const PROBE_HELP = `
Each owner sends a record to its own partitions once in probeIntervalMs, and knows which leg it is on: produce, append, fetch,
clock, commit, visible. An instance that stands still cannot say so: the others look after it. All instances of the same groups
are asked; one that does not answer within two seconds is named.

Examples:
  $ flatline probe
  $ flatline probe --url http://10.0.0.7:7070 --url http://10.0.0.8:7070 --json
`;
