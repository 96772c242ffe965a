// F5: every broker is gone, devices buffer, and nobody's session ends against the log.
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import { elapse } from '../stage/elapse.ts';
import { Trial } from '../stage/trial.ts';

const outagesMs = [30_000, 300_000];
/** Devices buffer for as long as it takes. */
const deliveryTimeoutMs = 2 * Math.max(...outagesMs);
const warmMs = 3_000;

export const brokerOutage: Scenario = {
  id: 'F5',
  title: 'every broker killed, back later',
  nodes: 1,
  variants: outagesMs.length,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context);
  const forMs = outagesMs[context.index % outagesMs.length]!;
  trial.variant = `no broker for ${forMs / 1000} s`;
  trial.load({ deliveryTimeoutMs });
  const processor = await trial.started();
  await elapse(warmMs);
  trial.armed = 1;
  const { nodes } = context.broker;
  await Promise.all(nodes.map((node) => node.kill9()));
  const gone = nodes.every(({ pid }) => pid === undefined);
  await elapse(forMs);
  await Promise.all(nodes.map((node) => node.start()));
  // From here on: recovery is counted from the brokers' return.
  if (gone && nodes.length > 0) trial.hit();
  await elapse(warmMs);
  return trial.settle([processor]);
}
