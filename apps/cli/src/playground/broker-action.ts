// `flatline broker start|stop|status`.
import { type BrokerStatus, dataDirOf, startDetached, statusDetached, stopDetached } from '@flatline/dev-broker';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { unlessStopped } from '../stop.ts';
import type { Console } from '../terminal/console.ts';

export interface BrokerFlags {
  readonly port?: number;
  readonly nodes?: 1 | 3;
  readonly data?: string;
  readonly registry?: boolean;
  readonly secure?: boolean;
  readonly json?: boolean;
}

/** Only one data directory is looked at. */
const ANOTHER = 'One that was started with another --data is found with the same.';

export async function startBroker(flags: BrokerFlags, console: Console, { stop }: Shell): Promise<ExitCode> {
  const { port: asked, nodes, data: dataDir, registry, secure } = flags;
  const log = (line: string): void => {
    console.note(line);
  };
  const started = await unlessStopped(startDetached({ port: asked, nodes, dataDir, registry, secure, log }), stop);
  // A start under way notices that its command has ended, and ends.
  if (started === undefined) throw interruptedBefore('the broker started');
  console.result(started, started.bootstrap);
  console.note(started.alreadyRan ? 'It was running already.' : `Its data is in ${started.dataDir}.`);
  if (started.registryUrl !== undefined) console.note(`Schema registry: ${started.registryUrl}`);
  for (const { name, address } of started.listeners) console.note(`${name}: ${address}`);
  return ExitCode.ok;
}

export async function stopBroker({ data, port: asked }: BrokerFlags, console: Console): Promise<ExitCode> {
  assertPort(await statusDetached(data), asked);
  const ran = await stopDetached(data);
  const dataDir = dataDirOf(data);
  console.result({ stopped: ran, dataDir }, ran ? 'Stopped.' : `No broker was running in ${dataDir}. ${ANOTHER}`);
  return ExitCode.ok;
}

/** One broker runs in a data directory. @throws CommandFailure where that is not the one that is meant */
function assertPort(status: BrokerStatus | undefined, asked: number | undefined): void {
  const first = status?.nodes[0]?.port;
  if (asked === undefined || first === undefined || first === asked) return;
  throw usageFailure(
    `the broker in ${status!.dataDir} has port ${first}, not ${asked}: leave --port out, or name another with --data`,
  );
}

export async function showStatus({ data, port: asked }: BrokerFlags, console: Console): Promise<ExitCode> {
  const status = await statusDetached(data);
  assertPort(status, asked);
  if (status === undefined) {
    const dataDir = dataDirOf(data);
    const text = `No broker is running in ${dataDir}. Start one with: flatline broker start\n${ANOTHER}`;
    console.result({ running: false, dataDir }, text);
    return ExitCode.unreachable;
  }
  console.result({ running: true, ...status }, statusText(status));
  return status.nodes.some(({ answers }) => answers) ? ExitCode.ok : ExitCode.unreachable;
}

function statusText(status: BrokerStatus): string {
  const nodes = status.nodes.map(({ id, port: listens, pid, answers }) => {
    const process = pid === undefined ? '' : `, process ${pid}`;
    return `  node ${id}: port ${listens}${process}, ${answers ? 'answers' : 'does not answer'}`;
  });
  const registry = status.registryUrl === undefined ? [] : [`  schema registry: ${status.registryUrl}`];
  const listeners = status.listeners.map(({ name, address }) => `  ${name}: ${address}`);
  const owner = status.mode === 'owned' ? ', belongs to a program and ends with it' : '';
  const first = `${status.bootstrap} (${status.source}${owner}), data in ${status.dataDir}`;
  return [first, ...nodes, ...listeners, ...registry].join('\n');
}
