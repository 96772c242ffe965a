import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import type { DoctorFlags } from './doctor-action.ts';
import { brokersOption, caOption, configOption, httpPortOption, jsonOption, tokenFileOption } from './flags.ts';

export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      `check everything a processor needs here, one thing after another; exit code ${ExitCode.failedCheck} and the remedy if something is wrong`,
    )
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .option('--state-dir <folder>', "instead of the configuration's stateDir")
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(jsonOption())
    .addHelpText('after', DOCTOR_HELP)
    .action(
      context.action<DoctorFlags>(async (flags, console) =>
        (await import('./doctor-action.ts')).runDoctor(flags, console, context.shell),
      ),
    );
}

const DOCTOR_HELP = `
Looks at Node, the configuration, the state directory, the brokers, the schema registry, the topics, the groups, the HTTP
address, and the hosts and programs of endpoints, to which nothing is sent. It changes nothing, and can be run beside a processor.

Examples:
  $ flatline doctor
  $ flatline doctor --config shop.config.json --json
`;
