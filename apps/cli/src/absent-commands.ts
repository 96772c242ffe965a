// The package has no command that judges or measures. Typing one of a checkout's tells where it is.
import type { Command } from 'commander';
import { usageFailure } from './failure.ts';

/** Commands of a checkout (`developer/`). */
export const CHECKOUT_COMMANDS: readonly string[] = ['demo', 'bench'];

export function addAbsentCommands(program: Command): void {
  for (const name of CHECKOUT_COMMANDS)
    program
      .command(name, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw usageFailure(
          `flatline ${name} is part of a checkout, not of the package: clone the repository, and run npx flatline ${name} there` +
            (name === 'demo' ? '; flatline try shows the same here' : ''),
        );
      });
}
