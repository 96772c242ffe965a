import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, jsonOption } from './flags.ts';

interface ConfigFlags extends ConfigurationFlags {
  readonly json?: boolean;
}

export function addConfigCommand(program: Command, context: CommandContext): void {
  const config = program.command('config').description('check a configuration without a broker, print its JSON Schema');
  config
    .command('check')
    .description(`read the configuration as \`run\` would; exit code ${ExitCode.usage} and all errors if it is wrong`)
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', CHECK_HELP)
    .action(
      context.action<ConfigFlags>(async (flags, console) =>
        (await import('./config-actions.ts')).runCheck(flags, console, context.shell),
      ),
    );
  config
    .command('schema')
    .description('print the JSON Schema of configuration files, for editors')
    .addHelpText('after', SCHEMA_HELP)
    .action(
      context.action<ConfigFlags>(async (_flags, console) => (await import('./config-actions.ts')).runSchema(console)),
    );
}

const CHECK_HELP = `
Files, environment, defaults and secrets are read; no broker is asked. Topics are checked by \`flatline topics check\`.

Examples:
  $ flatline config check
  $ flatline config check --config shop.config.yaml --json
`;

const SCHEMA_HELP = `
Examples:
  $ flatline config schema > flatline.schema.json
    and in a JSON configuration:  "$schema": "./flatline.schema.json"
    in YAML, as its first line:   # yaml-language-server: $schema=./flatline.schema.json
`;
