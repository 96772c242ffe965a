import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './context.ts';
import { jsonOption } from './flags.ts';
import type { TokenFlags } from './http-token-action.ts';

export function addHttpCommand(program: Command, context: CommandContext): void {
  const http = program.command('http').description("make tokens for a processor's HTTP");
  http
    .command('token')
    .description('make a token and its hash: the token is for whoever asks, the hash for http.auth of the processor')
    .addOption(
      new Option('--role <role>', 'read: look; admin: act, too').choices(['read', 'admin']).makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'by which the audit line tells who has acted', tokenName)
    .option('--token-file <file>', 'write the token there, for its owner alone, and show it nowhere')
    .option('--hash-file <file>', 'write the hash there')
    .option('--keep', 'make nothing where both files are there already')
    .addOption(jsonOption())
    .addHelpText('after', TOKEN_HELP)
    .action(
      context.action<TokenFlags>(async (flags, console) =>
        (await import('./http-token-action.ts')).runToken(flags, console, context.shell),
      ),
    );
}

function tokenName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be up to 64 letters, digits, ".", "_", "@" and "-".');
}

const TOKEN_HELP = `
A token is shown once, and not kept: who loses it gets another. The same command makes the token of a group (http.auth.group), of
which every instance has the token itself.

Examples:
  $ flatline http token --name ops --role admin
  $ flatline http token --name prometheus --role read --token-file prometheus.token --hash-file prometheus.hash
`;
