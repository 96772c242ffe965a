import { counted } from '@flatline/base';
import { inlineMore, type RunningProcessor, startProcessor } from '@flatline/processor';
import { whileWaiting } from '@flatline/system';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import { eitherStop, type Stop, unlessStopped, withinPatience } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import type { CommandContext } from './context.ts';
import { type RunFlags, startOf } from './run-start.ts';

const REDRAW_EVERY_MS = 500;

export async function run(flags: RunFlags, console: Console, context: CommandContext): Promise<ExitCode> {
  const { clock } = context.shell;
  const { worker } = flags;
  inlineMore(process);
  const stop = stopOf(flags, context);
  const { config, log } = await startOf(flags, context, {
    console,
    stop,
    ...(worker !== undefined && { facts: { worker } }),
  });
  const starting = startProcessor(config, { log, worker });
  const processor = await unlessStopped(starting, stop);
  if (processor === undefined) {
    const ending = starting.then((late) => late.stop());
    await withinPatience(ending, stop, clock);
    throw interruptedBefore('the processor started');
  }
  context.diagnosis.observe(() => processor.snapshot().tasks);
  if (worker !== undefined) return worked(processor, stop, context);
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

function stopOf({ worker }: RunFlags, { shell: { stop, supervisor } }: CommandContext): Stop {
  if (worker === undefined) return stop;
  if (supervisor === undefined) throw usageFailure('--worker is for processes that --workers starts');
  return eitherStop(stop, supervisor.stop);
}

/** Runs as a worker: the supervisor reports it, and its end. */
async function worked(processor: RunningProcessor, stop: Stop, { shell }: CommandContext): Promise<ExitCode> {
  shell.supervisor?.serve(processor);
  await Promise.race([processor.finished, stop.requested]);
  await processor.stop();
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
