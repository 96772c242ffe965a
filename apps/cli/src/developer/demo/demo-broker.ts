import { type RunningBroker, startBroker, statusDetached } from '@flatline/dev-broker';
import type { ConfigurationFlags } from '../../configuration.ts';
import type { Shell } from '../../shell.ts';
import { whileWaiting } from '@flatline/system';
import type { Console } from '../../terminal/console.ts';
import { duration } from '../../terminal/progress.ts';

const REDRAW_EVERY_MS = 100;

export interface DemoBroker {
  readonly brokers: readonly string[];
  /** True where it is the demo's own, and leaves nothing behind. */
  readonly ephemeral: boolean;
  /** Stops what was started for the demo, and nothing else. */
  stop(): Promise<void>;
}

/** The broker that is named, or runs here; else one of the demo's own, which ends with it and leaves nothing behind. */
export async function demoBroker(flags: ConfigurationFlags, shell: Shell, console: Console): Promise<DemoBroker> {
  const named = flags.brokers ?? shell.env['KAFKA_BROKERS']?.split(',').filter((address) => address !== '');
  if (named !== undefined && named.length > 0) return borrowed(named);
  const running = await statusDetached();
  // One that belongs to another program ends with it.
  if (running?.mode === 'detached') return borrowed(running.bootstrap.split(','));
  console.note('Starting a Kafka broker for this demo (flatline broker start keeps one running).');
  const log = (line: string): void => {
    console.note(line);
  };
  const starting = startBroker({ ephemeral: true, log });
  const { clock } = shell;
  const startedAtMs = clock.monotonicMs();
  const broker: RunningBroker = await whileWaiting(starting, { clock, everyMs: REDRAW_EVERY_MS }, () => {
    console.draw(`starting, ${duration(clock.monotonicMs() - startedAtMs)}`);
  });
  console.endRegion('clear');
  return { brokers: broker.bootstrap.split(','), ephemeral: true, stop: () => broker.stop() };
}

function borrowed(brokers: readonly string[]): DemoBroker {
  return { brokers, ephemeral: false, stop: () => Promise.resolve() };
}
