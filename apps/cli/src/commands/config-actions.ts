import { counted } from '@flatline/base';
import { configurationJsonSchema } from '@flatline/config';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { originsOf } from '../run-origins.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';

/** @throws ConfigurationError with everything that is wrong (I4) */
export async function runCheck(flags: ConfigurationFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags);
  const { facts, warning } = await originsOf(config, { shell, flags });
  if (warning !== undefined) console.note(`warning: ${warning}`);
  const origins = { ...facts, pid: undefined };
  const stateDirFrom = String(facts['stateDirFrom']);
  const pipelines = config.pipelines.map(({ name, kind, input, output, deadLetterTopic, changelogTopic, group }) => {
    const topics = {
      input: input.topic,
      output: output.topic,
      changelog: changelogTopic,
      deadLetters: deadLetterTopic,
    };
    return { name, kind, topics, group };
  });
  const lines = [
    `${String(facts['configFile'])} can be used: application ${config.application}, ${counted(pipelines.length, 'pipeline')}.`,
    `  brokers ${config.brokers.join(', ')} (from ${String(facts['brokersFrom'])})`,
    `  state directory ${config.stateDir} (${stateDirFrom === 'default' ? 'the default' : `from ${stateDirFrom}`})`,
    ...pipelines.map(({ name, kind, topics }) => `  ${name}: ${kind}, ${topics.input} → ${topics.output}`),
  ];
  console.result({ ok: true, ...origins, pipelines }, lines.join('\n'));
  return ExitCode.ok;
}

export function runSchema(console: Console): ExitCode {
  const schema = configurationJsonSchema();
  console.result(schema, JSON.stringify(schema, undefined, 2));
  return ExitCode.ok;
}
