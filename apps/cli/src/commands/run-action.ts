import { counted } from '@flatline/base';
import { type RunningProcessor, startProcessor, VERSION } from '@flatline/processor';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf, typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore } from '../failure.ts';
import { consoleLog } from '../run-log.ts';
import { originsOf } from '../run-origins.ts';
import { unlessStopped, withinPatience } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { whileWaiting } from '@flatline/system';
import { pipelineTopicsOf } from '../topics/pipeline-topics.ts';
import { assertUsable } from '../topics/provision.ts';
import { deviationText } from '../topics/topic-plan.ts';
import type { CommandContext } from './context.ts';

export interface RunFlags extends ConfigurationFlags {
  readonly json?: boolean;
}

const REDRAW_EVERY_MS = 500;

export async function run(flags: RunFlags, console: Console, { shell, diagnosis }: CommandContext): Promise<ExitCode> {
  const { clock, stop } = shell;
  const config = await configurationOf(shell, flags);
  diagnosis.configured(config);
  const log = diagnosis.watch(consoleLog(console, clock));
  const { facts, warning } = await originsOf(config, { shell, flags });
  log.info('flatline starts', { version: VERSION, ...facts });
  if (warning !== undefined) log.warn(warning);
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const asked = { partitions: undefined, replication: undefined, flags: typedFlags(flags) };
    const risks = await assertUsable(pipelineTopicsOf(config), { clock, connection, ...asked });
    for (const risk of risks) console.note(`warning: ${deviationText(risk)}`);
  } finally {
    connection.close();
  }
  const starting = startProcessor(config, { log });
  const processor = await unlessStopped(starting, stop);
  if (processor === undefined) {
    const ending = starting.then((late) => late.stop());
    await withinPatience(ending, stop, clock);
    throw interruptedBefore('the processor started');
  }
  diagnosis.observe(() => processor.snapshot().tasks);
  if (console.json) log.info('answers over HTTP', { address: processor.httpAddress });
  console.note(`Answers over HTTP at ${processor.httpAddress}; Ctrl-C drains and ends.`);
  const ended = Promise.race([processor.finished, stop.requested]);
  await whileWaiting(ended, { clock, everyMs: REDRAW_EVERY_MS }, () => {
    console.draw(statusText(processor));
  });
  console.endRegion('clear');
  console.note('Draining. Once more to exit at once.');
  await processor.stop();
  console.note('Drained: everything read is committed, and the group has been left.');
  return ExitCode.ok;
}

/** One line for a terminal. */
function statusText(processor: RunningProcessor): string {
  const { tasks, upMs } = processor.snapshot();
  const running = tasks.filter(({ state }) => state === 'running').length;
  const live = tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
  const lag = tasks.reduce((sum, task) => sum + (task.lag ?? 0), 0);
  const stopped = tasks.filter(({ state }) => state === 'stopped').length;
  const parts = [
    `up ${duration(upMs)}`,
    `${running} of ${counted(tasks.length, 'partition')} running`,
    `${counted(live, 'session')} live`,
    `${counted(lag, 'record')} behind`,
  ];
  return [...parts, ...(stopped === 0 ? [] : [`${counted(stopped, 'partition')} stopped: see the log`])].join(', ');
}
