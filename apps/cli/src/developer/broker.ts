import { type BrokerStatus, dataDirOf, startDetached, statusDetached, stopDetached } from '@flatline/dev-broker';
import { type Command, InvalidArgumentError } from 'commander';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { unlessStopped } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import type { CommandContext } from '../commands/context.ts';
import { jsonOption, port } from '../commands/flags.ts';

interface BrokerFlags {
  readonly port?: number;
  readonly nodes?: 1 | 3;
  readonly data?: string;
  readonly registry?: boolean;
  readonly secure?: boolean;
  readonly json?: boolean;
}

export function addBrokerCommand(program: Command, context: CommandContext): void {
  const broker = program
    .command('broker')
    .description('run a real Apache Kafka (KRaft) on this machine, for development');
  broker.addHelpText(
    'afterAll',
    `
Examples:
  $ flatline broker start                        prints the bootstrap address
  $ export KAFKA_BROKERS=$(flatline broker start --port 9092)
  $ flatline broker start --nodes 3 --registry   three brokers and a schema registry
  $ flatline broker start --secure --json        "listeners": each with the section "kafka" that reaches it
  $ flatline broker status --json
  $ flatline broker stop                         the data stays

Needs Java 17 or newer with Maven 3.8 or newer, or Docker. The first start fetches Kafka, about 45 MB.
`,
  );
  broker
    .command('start')
    .description('start a broker that runs until it is stopped, or say which one runs')
    .option('--port <port>', 'port of the first node (default: 9092)', port)
    .option('--nodes <1|3>', 'brokers in the cluster (default: as many as the data holds, else 1)', nodeCount)
    .option('--data <dir>', 'data directory (default: .flatline/broker in the repository)')
    .option('--registry', 'also start a schema registry')
    .option('--secure', 'also listen with TLS, mutual TLS and SASL, behind an authorizer (needs Java)')
    .addOption(jsonOption())
    .action(context.action<BrokerFlags>((flags, console) => startBroker(flags, console, context.shell)));
  broker
    .command('stop')
    .description('stop it; what it stores stays')
    .option('--port <port>', 'port of its first node, as given to start: another one there is left alone', port)
    .option('--data <dir>', 'data directory of the broker')
    .addOption(jsonOption())
    .action(context.action(stopBroker));
  broker
    .command('status')
    .description(`say whether one runs, and where; exit code ${ExitCode.unreachable} if none does`)
    .option('--port <port>', 'port of its first node, as given to start: another one there is left alone', port)
    .option('--data <dir>', 'data directory of the broker')
    .addOption(jsonOption())
    .action(context.action(showStatus));
}

/** Only one data directory is looked at. */
const ANOTHER = 'One that was started with another --data is found with the same.';

function nodeCount(text: string): 1 | 3 {
  if (text === '1') return 1;
  if (text === '3') return 3;
  throw new InvalidArgumentError('It must be 1 or 3.');
}

async function startBroker(flags: BrokerFlags, console: Console, { stop }: Shell): Promise<ExitCode> {
  const { port: asked, nodes, data: dataDir, registry, secure } = flags;
  const log = (line: string): void => {
    console.note(line);
  };
  const started = await unlessStopped(startDetached({ port: asked, nodes, dataDir, registry, secure, log }), stop);
  // What has begun notices that its command has ended, and ends.
  if (started === undefined) throw interruptedBefore('the broker started');
  console.result(started, started.bootstrap);
  console.note(started.alreadyRan ? 'It was running already.' : `Its data is in ${started.dataDir}.`);
  if (started.registryUrl !== undefined) console.note(`Schema registry: ${started.registryUrl}`);
  for (const { name, address } of started.listeners) console.note(`${name}: ${address}`);
  return ExitCode.ok;
}

async function stopBroker({ data, port: asked }: BrokerFlags, console: Console): Promise<ExitCode> {
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

async function showStatus({ data, port: asked }: BrokerFlags, console: Console): Promise<ExitCode> {
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
