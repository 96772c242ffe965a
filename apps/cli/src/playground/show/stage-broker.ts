import { startBroker, statusDetached } from '@flatline/dev-broker';
import { whileWaiting } from '@flatline/system';
import type { ConfigurationFlags } from '../../configuration.ts';
import { interruptedBefore } from '../../failure.ts';
import type { Shell } from '../../shell.ts';
import { unlessStopped } from '../../stop.ts';
import type { Teardown } from '../../teardown.ts';
import type { Console } from '../../terminal/console.ts';
import { duration } from '../../terminal/progress.ts';
import type { OwnBroker, Show } from './settings.ts';

const REDRAW_EVERY_MS = 100;

export interface StageBroker {
  readonly brokers: readonly string[];
  /** Named by the user, or left running here by `flatline broker start`; else the show's own, which ends with it. */
  readonly origin: 'borrowed' | 'own';
  /** Processes of the show's own, where it is no container. */
  readonly pids: readonly number[];
}

interface Around {
  readonly shell: Shell;
  readonly console: Console;
  /** Gets to stop what is started here, also where the start is given up. */
  readonly teardown: Teardown;
}

/** The broker that is named, or runs here; else one of the show's own, which ends with it. @throws Misconfigured, Fatal */
export async function stageBroker(show: Show, flags: ConfigurationFlags, around: Around): Promise<StageBroker> {
  const named = flags.brokers ?? around.shell.env['KAFKA_BROKERS']?.split(',').filter((address) => address !== '');
  if (named !== undefined && named.length > 0) return borrowed(named);
  const running = await statusDetached();
  // One that belongs to another program ends with it.
  if (running?.mode === 'detached') return borrowed(running.bootstrap.split(','));
  const until = `until this ${show.name === 'demo' ? 'demo' : 'command'} ends`;
  around.console.note(`Starting a Kafka broker ${until} (flatline broker start keeps one running).`);
  return ownBroker(show.broker, around);
}

async function ownBroker(
  { port, keep, properties }: OwnBroker,
  { shell: { clock, stop }, console, teardown }: Around,
): Promise<StageBroker> {
  const log = (line: string): void => {
    console.note(line);
  };
  const starting = startBroker({ port, ephemeral: !keep, endsAtOnce: true, properties, log, signal: stop.signal });
  // An error that keeps it from starting is thrown below.
  teardown.add(() => starting.then((broker) => broker.stop()).catch(() => undefined));
  const startedAtMs = clock.monotonicMs();
  const broker = await whileWaiting(unlessStopped(starting, stop), { clock, everyMs: REDRAW_EVERY_MS }, () => {
    console.draw(`starting, ${duration(clock.monotonicMs() - startedAtMs)}`);
  }).finally(() => {
    console.endRegion('clear');
  });
  if (broker === undefined) throw interruptedBefore('the broker started');
  const pids = broker.nodes.flatMap(({ pid }) => pid ?? []);
  return { brokers: broker.bootstrap.split(','), origin: 'own', pids };
}

function borrowed(brokers: readonly string[]): StageBroker {
  return { brokers, origin: 'borrowed', pids: [] };
}
