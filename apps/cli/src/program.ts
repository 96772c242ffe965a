// The command tree, and the one place where outcomes become exit codes.
import { Command, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { addAbsentCommands } from './absent-commands.ts';
import { addBrokerCommand } from './commands/broker.ts';
import { addCompletion } from './completion.ts';
import { addConfigCommand } from './commands/config.ts';
import type { CommandContext } from './commands/context.ts';
import { addDeadLettersCommand } from './commands/dead-letters.ts';
import { addDeliveriesCommand } from './commands/deliveries.ts';
import { addTasksCommand } from './commands/tasks.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addHttpCommand } from './commands/http.ts';
import { addImportCommand } from './commands/import.ts';
import { addKindGroups } from './commands/kind-groups.ts';
import { addPartitionsCommand } from './commands/partitions.ts';
import { addProbeCommand } from './commands/probe.ts';
import { addEntriesGroup } from './commands/running-entries.ts';
import { addResetCommand } from './commands/reset.ts';
import { addRunCommand } from './commands/run.ts';
import { addSinkCommand } from './commands/sink.ts';
import { addSimulateCommand } from './commands/simulate.ts';
import { addStatsCommand } from './commands/stats.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTopCommand } from './commands/top.ts';
import { addTopicsCommand } from './commands/topics.ts';
import { addTryCommand } from './commands/try.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { Diagnosis } from './diagnosis/diagnosis.ts';
import { ExitCode, exitCodesHelp } from './exit-code.ts';
import { crashOf, type Failure, failureOf } from './failure.ts';
import { consoleOf, type Shell } from './shell.ts';
import { printableJson } from './terminal/printable.ts';

const packageFile = new URL('../package.json', import.meta.url);

/** Every command takes it, anywhere on the line. */
const NO_COLOR_FLAG = '--no-color';

interface Reporting {
  readonly shell: Shell;
  readonly json: boolean;
  readonly diagnosis: Diagnosis;
}

/** Commands that only a checkout has: they need its checkers and benchmarks. */
export interface DeveloperCommands {
  add(program: Command, context: CommandContext): void;
}

/** Runs one command line. Never throws. `developer`: absent in the package. */
export async function runCli(typed: readonly string[], asked: Shell, developer?: DeveloperCommands): Promise<ExitCode> {
  const args = typed.filter((each) => each !== NO_COLOR_FLAG);
  const shell = shellOf(asked, args.length < typed.length);
  let exitCode: ExitCode = ExitCode.ok;
  const json = args.includes('--json');
  const diagnosis = new Diagnosis({ clock: shell.clock, args, version: versionOf(packageFile) });
  const reporting = { shell, json, diagnosis };
  shell.onCrash?.((error) => report(crashOf(error), error, reporting));
  const context: CommandContext = {
    shell,
    diagnosis,
    action: (run) => async (flags) => {
      exitCode = await run(flags, consoleOf(shell, flags.json === true));
    },
  };
  try {
    const program = buildProgram(context, json, developer);
    await addCompletion(program, args);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.ok;
    // Commander has told a person already.
    if (error instanceof CommanderError && !json) return ExitCode.usage;
    return report(failureOf(error), error, reporting);
  }
}

function shellOf(asked: Shell, isPlain: boolean): Shell {
  return isPlain ? { ...asked, env: { ...asked.env, NO_COLOR: '1' } } : asked;
}

export function buildProgram(
  context: CommandContext,
  json: boolean,
  developer: DeveloperCommands | undefined,
): Command {
  const { shell } = context;
  const program = new Command('flatline');
  program
    .version(versionOf(packageFile), '--version', 'print the version')
    .description(
      'Knows when something stops: closes sessions on Kafka exactly once, when the log itself proves their silence.',
    )
    .option(NO_COLOR_FLAG, 'no colors, as NO_COLOR=1; FORCE_COLOR=1 keeps them where no terminal is')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => {
        if (!json) shell.stderr.write(text);
      },
    })
    .showHelpAfterError('Add --help for the flags and examples.')
    .showSuggestionAfterError()
    .helpCommand('help [command]', 'help for a command')
    .addHelpText('after', `\n${exitCodesHelp()}\n`);
  addConfigCommand(program, context);
  addTopicsCommand(program, context);
  addRunCommand(program, context);
  addImportCommand(program, context);
  addKindGroups(program, context);
  addEntriesGroup(program, context);
  addDeadLettersCommand(program, context);
  addDeliveriesCommand(program, context);
  addTasksCommand(program, context);
  addVerifyCommand(program, context);
  addStatsCommand(program, context);
  addSinkCommand(program, context);
  addStatusCommand(program, context);
  addTopCommand(program, context);
  addProbeCommand(program, context);
  addPartitionsCommand(program, context);
  addHttpCommand(program, context);
  addDoctorCommand(program, context);
  addResetCommand(program, context);
  program.commandsGroup('To try it out:');
  addTryCommand(program, context);
  addBrokerCommand(program, context);
  addSimulateCommand(program, context);
  if (developer === undefined) addAbsentCommands(program);
  else {
    program.commandsGroup('Commands of a checkout:');
    developer.add(program, context);
  }
  // Commander's own heading: for what is added from here on.
  program.commandsGroup('Commands:');
  return program;
}

function versionOf(packageFile: URL): string {
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
}

/** Defects show their stack, and leave a diagnosis; everything else is for the user to mend. Synchronous. */
function report(failure: Failure, error: unknown, { shell, json, diagnosis }: Reporting): ExitCode {
  const { exitCode, message, stack } = failure;
  const path = exitCode === ExitCode.internal ? diagnosis.write(error) : undefined;
  if (json) shell.stderr.write(`${printableJson({ error: { exitCode, message, stack, diagnosis: path } })}\n`);
  else {
    const console = consoleOf(shell, false);
    console.note(`flatline: ${message}`);
    if (stack !== undefined) console.note(stack);
    if (exitCode === ExitCode.internal) console.note(remedyOf(path));
  }
  return exitCode;
}

function remedyOf(diagnosis: string | undefined): string {
  const what = 'This is a defect in Flatline: please report it, as CONTRIBUTING.md says, with';
  if (diagnosis === undefined) return `${what} what was printed; no file could be written. Read it before you send it.`;
  return (
    `${what} ${diagnosis}: versions, configuration, tasks and the last of the log, without secrets, keys and ` +
    'attributes. Read it before you send it.'
  );
}
