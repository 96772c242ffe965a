// Keeps a detached broker: a process that owns one, as any other would, and goes on after the command that started it.
// `node keeper.ts <options as JSON>`, forked by `startDetached`.
import { messageOf, Misconfigured } from '@flatline/base';
import { startSomewhere } from './broker.ts';
import { type KeeperReport } from './keeper-report.ts';
import { type BrokerOptions, type OwnedBroker } from './running-broker.ts';

const report = (message: KeeperReport): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** For when the command that waits for this broker has died: no other process knows of the broker yet. */
const giveUp = (): never => process.exit(1);

async function start(options: BrokerOptions): Promise<OwnedBroker | undefined> {
  try {
    const log = (line: string): void => {
      report({ kind: 'log', line });
    };
    return await startSomewhere({ ...options, log }, 'detached');
  } catch (error) {
    const message = messageOf(error);
    report({ kind: 'failed', message, misconfigured: error instanceof Misconfigured });
    return undefined;
  }
}

process.on('disconnect', giveUp);
const broker = await start(JSON.parse(process.argv[2] ?? '') as BrokerOptions);
process.off('disconnect', giveUp);
if (broker !== undefined) {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void broker.stop());
  report({ kind: 'ready' });
  const alive = setInterval(() => undefined, 2 ** 30); // a broker does not keep its owner's event loop going
  await broker.ended();
  clearInterval(alive);
}
if (process.connected) process.disconnect();
