import { startBroker, statusDetached } from '@flatline/dev-broker';
import { whileWaiting } from '@flatline/system';
import type { ConfigurationFlags } from '../../configuration.ts';
import { interruptedBefore } from '../../failure.ts';
import type { Shell } from '../../shell.ts';
import { unlessStopped } from '../../stop.ts';
import type { Teardown } from '../../teardown.ts';
import type { Console } from '../../terminal/console.ts';
import { duration } from '../../terminal/progress.ts';

const REDRAW_EVERY_MS = 100;

export interface DemoBroker {
  readonly brokers: readonly string[];
  /** True where it is the demo's own, and leaves nothing behind. */
  readonly ephemeral: boolean;
}

/**
 * The broker that is named, or runs here; else one of the demo's own, which ends with it and leaves nothing behind.
 * `teardown` gets to stop what is started here, also where the start is given up.
 */
export async function demoBroker(
  flags: ConfigurationFlags,
  shell: Shell,
  console: Console,
  teardown: Teardown,
): Promise<DemoBroker> {
  const named = flags.brokers ?? shell.env['KAFKA_BROKERS']?.split(',').filter((address) => address !== '');
  if (named !== undefined && named.length > 0) return borrowed(named);
  const running = await statusDetached();
  // One that belongs to another program ends with it.
  if (running?.mode === 'detached') return borrowed(running.bootstrap.split(','));
  console.note('Starting a Kafka broker for this demo (flatline broker start keeps one running).');
  const log = (line: string): void => {
    console.note(line);
  };
  const { clock, stop } = shell;
  const starting = startBroker({ ephemeral: true, log, signal: stop.signal });
  // What keeps it from starting is thrown below.
  teardown.add(() => starting.then((broker) => broker.stop()).catch(() => undefined));
  const startedAtMs = clock.monotonicMs();
  const broker = await whileWaiting(unlessStopped(starting, stop), { clock, everyMs: REDRAW_EVERY_MS }, () => {
    console.draw(`starting, ${duration(clock.monotonicMs() - startedAtMs)}`);
  }).finally(() => {
    console.endRegion('clear');
  });
  if (broker === undefined) throw interruptedBefore('the broker started');
  return { brokers: broker.bootstrap.split(','), ephemeral: true };
}

function borrowed(brokers: readonly string[]): DemoBroker {
  return { brokers, ephemeral: false };
}
