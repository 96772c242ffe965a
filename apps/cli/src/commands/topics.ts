import { counted } from '@flatline/base';
import type { Command } from 'commander';
import { typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { createTopics } from '../topics/provision.ts';
import { deviationText, missingDeviation, type NewTopic } from '../topics/topic-plan.ts';
import { addAlterCommand } from './topics-alter.ts';
import { inspect, type TopicsFlags } from './topics-inspection.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';

export function addTopicsCommand(program: Command, context: CommandContext): void {
  const topics = program
    .command('topics')
    .description('Input, output, changelog and dead-letter topics of a configuration.');
  topics
    .command('create')
    .description('create what is missing; what exists is compared and never changed')
    .option(
      '--partitions <n>',
      'of an input that does not exist yet; the others follow it (default: 8)',
      integerFrom(1, 100_000),
    )
    .option('--replication <n>', "copies of each partition (default: the broker's)", integerFrom(1, 100))
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', CREATE_HELP)
    .action(context.action<TopicsFlags>((flags, console) => runCreate(flags, console, context.shell)));
  topics
    .command('check')
    .description(`list everything that is missing or wrong; exit code ${ExitCode.failedCheck} if anything is`)
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', CHECK_HELP)
    .action(context.action<TopicsFlags>((flags, console) => runCheck(flags, console, context.shell)));
  addAlterCommand(topics, context);
}

const CREATE_HELP = `
With a topic that exists and cannot be used as it is, nothing is created: all that is wrong is listed, with the remedy.

Examples:
  $ flatline topics create
  $ flatline topics create --config shop.config.json --partitions 32 --replication 3
`;
const CHECK_HELP = `
Examples:
  $ flatline topics check
  $ flatline topics check --config shop.config.json --json
`;

async function runCreate(flags: TopicsFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { plan, names, options, close } = await inspect(flags, shell);
  try {
    for (const risk of plan.risks) console.note(`warning: ${deviationText(risk)}`);
    if (plan.deviations.length > 0)
      throw new CommandFailure(
        ExitCode.usage,
        `nothing was created, since topics that exist cannot be used as they are:\n${plan.deviations.map(deviationText).join('\n')}`,
      );
    await createTopics(plan.missing, options);
    const created = plan.missing.map(({ topic }) => topic);
    const existed = names.filter((topic) => !created.includes(topic));
    console.result({ created, existed }, createdText(plan.missing, existed));
    return ExitCode.ok;
  } finally {
    close();
  }
}

async function runCheck(flags: TopicsFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { plan, names, close } = await inspect(flags, shell);
  close();
  const missing = plan.missing.map((topic) => missingDeviation(topic, typedFlags(flags)));
  const deviations = [...missing, ...plan.deviations, ...plan.risks];
  const ok = deviations.length === 0;
  const text = ok
    ? `${counted(names.length, 'topic')} with the right settings.`
    : deviations.map(deviationText).join('\n');
  console.result({ ok, topics: names, deviations }, text);
  return ok ? ExitCode.ok : ExitCode.failedCheck;
}

function createdText(created: readonly NewTopic[], existed: readonly string[]): string {
  const lines = created.map(({ topic, role, partitions, settings }) => {
    const shown = [...settings].map(([name, value]) => `${name}=${value}`).join(' ');
    return `created ${topic} (${roleNames[role]}, ${counted(partitions, 'partition')}) ${shown}`;
  });
  return [...lines, ...existed.map((topic) => `exists  ${topic}`)].join('\n');
}

const roleNames = { input: 'input', output: 'output', changelog: 'changelog', deadLetters: 'dead letters' } as const;
