// Completion of commands and flags in shells. The library walks the whole tree of commands, so only those two that need it load it.
import { DEAD_LETTER_REASONS } from '@flatline/ports';
import type { Command } from 'commander';
import { jsonOption } from './commands/flags.ts';

/** Command that prints the script for a shell, and the one that this script calls for each word. */
const SCRIPT = 'completion';
const SUGGESTIONS = 'complete';
/** Commands that take a reason. */
const OF_LETTERS = ['dead-letters list', 'dead-letters replay'];

export async function addCompletion(program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === SCRIPT || args[0] === SUGGESTIONS) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    const completion = tab(program, { completionCommandName: SCRIPT });
    for (const name of OF_LETTERS) {
      const reason = completion.commands.get(name)?.options.get('reason');
      if (reason !== undefined) reason.handler = suggestReasons;
    }
    program.commands
      .find((each) => each.name() === SCRIPT)
      ?.addHelpText('after', HELP)
      .addOption(jsonOption())
      .action((shell: string, { json = false }: { readonly json?: boolean }) => {
        const name = program.name();
        const script = printedBy(() => {
          completion.setup(name, name, shell);
        });
        const text = shell === 'bash' ? forBash(script) : script;
        program.configureOutput().writeOut?.(json ? `${JSON.stringify({ shell, script: text })}\n` : text);
      });
  } else {
    const description = 'print a script that completes commands in your shell';
    program.command(SCRIPT).argument('<shell>').description(description).addOption(jsonOption());
  }
}

function suggestReasons(suggest: (value: string, description: string) => void): void {
  for (const [code, words] of Object.entries(DEAD_LETTER_REASONS)) suggest(code, words);
}

/** The library has no other way to give its script. */
function printedBy(print: () => void): string {
  const { log } = console;
  let printed = '';
  console.log = (text: string) => {
    printed += `${text}\n`;
  };
  try {
    print();
  } finally {
    console.log = log;
  }
  return printed;
}

/**
 * The library's script asks the package bash-completion for the words, which a bare image or a Mac does not have; and what it
 * declares read-only could not be declared again, as where ~/.bashrc is sourced once more.
 */
function forBash(script: string): string {
  return BASH_ALONE + script.replaceAll(/^readonly /gm, '');
}

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
