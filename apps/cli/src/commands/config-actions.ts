import { counted } from '@flatline/base';
import { configurationJsonSchema, type EndpointConfig, SECRET_SECTIONS } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { originsOf } from '../run-origins.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';

/** @throws ConfigurationError with everything that is wrong (I4) */
export async function runCheck(flags: ConfigurationFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, SECRET_SECTIONS);
  const { facts, warning } = await originsOf(config, { shell, flags });
  if (warning !== undefined) console.note(`warning: ${warning}`);
  const origins = { ...facts, pid: undefined };
  const stateDirFrom = String(facts['stateDirFrom']);
  const { endpoints: all = [], pipelines: notified = [] } = config.notifier ?? {};
  if (all.length > 0) {
    const { requireReachable } = await import('@flatline/notifier/reach');
    for (const endpoint of all) requireReachable(endpoint);
  }
  const endpoints = all.map(({ name, target }) => ({
    name,
    to: targetText(target),
    pipelines: notified.flatMap(({ pipeline, endpoints: its }) =>
      its.some((each) => each.name === name) ? [pipeline.name] : [],
    ),
  }));
  // Pipelines that keep deliveries are not the user's.
  const own = config.pipelines.filter(({ deliveriesOf }) => deliveriesOf === undefined);
  const pipelines = own.map((pipeline) => {
    const { name, kind, input, inputs = [], output, deadLetterTopic, changelogTopic, group, routes = [] } = pipeline;
    const topics = {
      input: input.topic,
      ...(inputs.length > 0 && { furtherInputs: inputs.slice(1).map(({ topic }) => topic) }),
      output: output.topic,
      changelog: changelogTopic,
      deadLetters: deadLetterTopic,
    };
    const led = routes.map(({ on, to }) => ({ on, to }));
    const outage = kindOf(pipeline).outage(pipeline);
    return { name, kind, topics, group, ...(led.length > 0 && { routes: led }), outage };
  });
  const lines = [
    `${String(facts['configFile'])} can be used: application ${config.application}, ${counted(pipelines.length, 'pipeline')}.`,
    `  brokers ${config.brokers.join(', ')} (from ${String(facts['brokersFrom'])})`,
    `  state directory ${config.stateDir} (${stateDirFrom === 'default' ? 'the default' : `from ${stateDirFrom}`})`,
    ...pipelines.flatMap(({ name, kind, topics, routes = [], outage }) => [
      `  ${name}: ${kind}, ${[topics.input, ...(topics.furtherInputs ?? [])].join(' + ')} → ${topics.output}`,
      ...(routes.length === 0 ? [] : [`    routes: ${routes.map(routeText).join('; ')}`]),
      `    an outage of the brokers: ${outage.text}`,
    ]),
    ...endpoints.map(({ name, to, pipelines: of }) => `  endpoint ${name}: ${of.join(', ')} → ${to}`),
  ];
  console.result({ ok: true, ...origins, pipelines, ...(endpoints.length > 0 && { endpoints }) }, lines.join('\n'));
  return ExitCode.ok;
}

function routeText({ on = ['any'], to }: { readonly on?: readonly string[] | undefined; readonly to: string }): string {
  return `${on.join(', ')} → ${to}`;
}

/** The path of a webhook's URL may be a secret. */
function targetText(target: EndpointConfig['target']): string {
  return 'command' in target ? `the program ${target.command[0]!}` : new URL(target.url).origin;
}

export function runSchema(console: Console): ExitCode {
  const schema = configurationJsonSchema();
  console.result(schema, JSON.stringify(schema, undefined, 2));
  return ExitCode.ok;
}
