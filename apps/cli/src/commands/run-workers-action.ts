import { counted } from '@flatline/base';
import {
  advertisedEndpoint,
  calmLog,
  holdStateDirectories,
  openHttpServer,
  pushKafka,
  requireIngestPort,
} from '@flatline/processor';
import { randomBytes } from 'node:crypto';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Console } from '../terminal/console.ts';
import { Supervisor } from '../workers/supervisor.ts';
import { coresHere } from '../workers/worker-process.ts';
import type { CommandContext } from './context.ts';
import { type RunFlags, startOf } from './run-start.ts';

/** The supervisor: it has no processor of its own, so that nothing in a session can take it down. */
export async function runWorkers(flags: RunFlags, console: Console, context: CommandContext): Promise<ExitCode> {
  const { clock, stop, startWorker } = context.shell;
  if (startWorker === undefined) throw usageFailure('--workers needs a process of its own');
  const count = flags.workers === 'auto' ? coresHere() : flags.workers!;
  const { config, log } = await startOf(flags, context, { console, stop, firstFacts: { workers: count } });
  const held = holdStateDirectories(config);
  try {
    await requireIngestPort(config);
    // Without a name from the user, one for this run alone will do: restarted workers get it again.
    const base = config.instanceId ?? `${config.instance}-${randomBytes(2).toString('hex')}`;
    const instanceOf = (worker: number): string => `${base}-${worker}`;
    const supervisor = new Supervisor({
      count,
      instance: config.instance,
      instanceOf,
      endpoint: advertisedEndpoint(config.http),
      start: (worker, hear) => startWorker({ worker, of: count, instance: instanceOf(worker), hear }),
      clock,
      log,
    });
    const kafka = pushKafka(config, clock, log);
    const http = await openHttpServer(config.http, supervisor, { config, kafka, clock, log: calmLog(log, clock) });
    try {
      if (console.json) log.info('answers over HTTP', { address: http.address });
      console.note(`${counted(count, 'worker')}. Answers over HTTP at ${http.address}; Ctrl-C drains and ends.`);
      void stop.requested.then(() => {
        console.note('Draining. Once more to exit at once.');
      });
      const code = await supervisor.run(stop);
      if (code === 0) console.note('Drained: everything read is committed, and the group has been left.');
      return isExitCode(code) ? code : ExitCode.internal;
    } finally {
      await http.close();
    }
  } finally {
    held.release();
  }
}

/** A worker's code may be one of Node's own. */
function isExitCode(code: number): code is ExitCode {
  return (Object.values(ExitCode) as number[]).includes(code);
}
