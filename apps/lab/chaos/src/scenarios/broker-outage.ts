// F5: every broker is gone, devices buffer, and no session ends against the log, nor, by C8 as it is by default, at all.
import type { TrialContext, TrialResult, Scenario, Violation } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { sleep } from '../stage/sleep.ts';
import { readOutputs } from '../stage/topic-records.ts';
import { Trial } from '../trial/trial.ts';

const variants = [
  { forMs: 30_000, isLasting: false },
  { forMs: 300_000, isLasting: false },
  { forMs: 30_000, isLasting: true },
] as const;
/** Devices buffer for as long as it takes. */
const DELIVERY_TIMEOUT_MS = 600_000;
const WARM_MS = 3_000;
/** Half of it is silence that counts; the rest lets devices be heard again. */
const LASTING_TIMEOUT_MS = 6_000;
/** Sessions live on until the load ends. */
const lasting = { heartbeatMs: 500, beats: 100_000, ratePerSecond: 300, deliveryTimeoutMs: DELIVERY_TIMEOUT_MS };

export const brokerOutage: Scenario = {
  id: 'F5',
  title: 'every broker killed, back later',
  nodes: 1,
  variants: variants.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const { forMs, isLasting } = variants[context.index % variants.length]!;
  const trial = await Trial.begin(context, isLasting ? { timeoutMs: LASTING_TIMEOUT_MS } : {});
  trial.variant = `no broker for ${forMs / 1000} s${isLasting ? ', no device falls silent' : ''}`;
  trial.load(isLasting ? lasting : { deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const processor = await trial.started();
  await sleep(WARM_MS);
  trial.armed = 1;
  const { nodes } = context.broker;
  await Promise.all(nodes.map((node) => node.kill9()));
  const gone = nodes.every(({ pid }) => pid === undefined);
  await sleep(forMs);
  await Promise.all(nodes.map((node) => node.start()));
  // Recovery is counted from here: the brokers' return.
  if (gone && nodes.length > 0) trial.hit();
  await sleep(WARM_MS);
  return isLasting ? concludeUnheard(trial, processor) : trial.conclude([processor]);
}

/** No device fell silent, so no session may end while the load lasts; the logs alone cannot tell that. */
async function concludeUnheard(trial: Trial, processor: Child): Promise<TrialResult> {
  const { application } = trial;
  // Longer than the timeout after the outage: a session ended by it would be seen by now.
  await sleep(2 * application.timeoutMs);
  const ended = (await readOutputs(application)).flatMap((output): Violation[] => {
    if (output.kind !== 'summary') return [];
    const { incarnation, reason } = output.summary;
    return [
      { rule: 'C8', subject: incarnation, detail: `was closed (${reason}), and its device had only been unheard` },
    ];
  });
  trial.violations.push(...ended);
  trial.facts['endedByOutage'] = ended.length;
  // There is no close to recover to before the load ends.
  return { ...(await trial.conclude([processor])), recoveriesMs: [] };
}
