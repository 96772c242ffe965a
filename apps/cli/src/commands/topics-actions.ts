import { counted } from '@flatline/base';
import { typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { createTopics } from '../topics/provision.ts';
import { deviationText, missingDeviation, type NewTopic } from '../topics/topic-plan.ts';
import { inspect, type TopicsFlags } from './topics-inspection.ts';

export async function runCreate(flags: TopicsFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { plan, names, options, close } = await inspect(flags, shell);
  try {
    for (const risk of [...plan.risks, ...plan.unreached]) console.note(`warning: ${deviationText(risk)}`);
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

export async function runCheck(flags: TopicsFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { plan, names, close } = await inspect(flags, shell);
  close();
  const missing = plan.missing.map((topic) => missingDeviation(topic, typedFlags(flags)));
  const deviations = [...missing, ...plan.deviations, ...plan.unreached, ...plan.risks];
  const ok = deviations.length === 0;
  const text = ok
    ? `${counted(names.length, 'topic')} with the right settings.`
    : console.typed(deviations.map(deviationText).join('\n'));
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

const roleNames = {
  input: 'input',
  output: 'output',
  target: 'target',
  changelog: 'changelog',
  deadLetters: 'dead letters',
} as const;
