// Completion of commands and flags in shells. The library walks the whole tree of commands, so only those two that need it load it.
import type { Command } from 'commander';

/** What a user types to get the script for a shell, and what that script calls for each word. */
const SCRIPT = 'completion';
const SUGGESTIONS = 'complete';

export async function addCompletion(program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === SCRIPT || args[0] === SUGGESTIONS) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    tab(program, { completionCommandName: SCRIPT });
    program.commands
      .find((each) => each.name() === SCRIPT)
      ?.addHelpText('after', HELP)
      .hook('preAction', ({ args: [shell] }) => {
        if (shell === 'bash') program.configureOutput().writeOut?.(BASH_ALONE);
      });
  } else {
    program.command(SCRIPT).argument('<shell>').description('print a script that completes commands in your shell');
  }
}

/** The library's script asks the package bash-completion for the words, which a bare image or a Mac does not have. */
const BASH_ALONE = `declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword - 1]}
}
`;

const HELP = `
The command has to be on the PATH as flatline: npm install --global flatline.

Examples:
  $ source <(flatline completion bash)          in ~/.bashrc
  $ source <(flatline completion zsh)           in ~/.zshrc
  $ flatline completion fish > ~/.config/fish/completions/flatline.fish
`;
