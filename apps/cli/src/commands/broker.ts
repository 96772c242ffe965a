import { type Command, InvalidArgumentError } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { BrokerFlags } from '../playground/broker-action.ts';
import type { CommandContext } from './context.ts';
import { jsonOption, port } from './flags.ts';

const action = () => import('../playground/broker-action.ts');

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

Needs Java 17 or newer with Maven 3.8 or newer, or Docker. The first start fetches Kafka, about 45 MB,
into the user's cache folder (in a checkout, into it), where it stays.
`,
  );
  broker
    .command('start')
    .description('start a broker that runs until it is stopped, or say which one runs')
    .option('--port <port>', 'port of the first node (default: 9092)', port)
    .option('--nodes <1|3>', 'brokers in the cluster (default: as many as the data holds, else 1)', nodeCount)
    .option('--data <dir>', 'data directory (default: .flatline/broker, in a checkout that of the repository)')
    .option('--registry', 'also start a schema registry')
    .option('--secure', 'also listen with TLS, mutual TLS and SASL, behind an authorizer (needs Java)')
    .addOption(jsonOption())
    .action(
      context.action<BrokerFlags>(async (flags, console) =>
        (await action()).startBroker(flags, console, context.shell),
      ),
    );
  broker
    .command('stop')
    .description('stop it; what it stores stays')
    .option('--port <port>', 'port of its first node, as given to start: another one there is left alone', port)
    .option('--data <dir>', 'data directory of the broker')
    .addOption(jsonOption())
    .action(context.action<BrokerFlags>(async (flags, console) => (await action()).stopBroker(flags, console)));
  broker
    .command('status')
    .description(`say whether one runs, and where; exit code ${ExitCode.unreachable} if none does`)
    .option('--port <port>', 'port of its first node, as given to start: another one there is left alone', port)
    .option('--data <dir>', 'data directory of the broker')
    .addOption(jsonOption())
    .action(context.action<BrokerFlags>(async (flags, console) => (await action()).showStatus(flags, console)));
}

function nodeCount(text: string): 1 | 3 {
  if (text === '1') return 1;
  if (text === '3') return 3;
  throw new InvalidArgumentError('It must be 1 or 3.');
}
