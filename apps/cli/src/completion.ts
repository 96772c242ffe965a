// Completion of commands and flags in shells. The library walks the whole tree of commands, so only those two that need it load it.
import type { Command } from 'commander';

/** What a user types to get the script for a shell, and what that script calls for each word. */
const SCRIPT = 'completion';
const SUGGESTIONS = 'complete';

export async function addCompletion(program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === SCRIPT || args[0] === SUGGESTIONS) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    tab(program, { completionCommandName: SCRIPT });
    program.commands.find((each) => each.name() === SCRIPT)?.addHelpText('after', HELP);
  } else {
    program.command(SCRIPT).argument('<shell>').description('print a script that completes commands in your shell');
  }
}

const HELP = `
The command has to be on the PATH as flatline: npm install --global flatline.

Examples:
  $ source <(flatline completion bash)          in ~/.bashrc
  $ source <(flatline completion zsh)           in ~/.zshrc
  $ flatline completion fish > ~/.config/fish/completions/flatline.fish
`;
