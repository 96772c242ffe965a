// All scenarios; docs/SPEC.md explains each number.
import type { Scenario } from '../scenario.ts';
import { assembled } from './assembled.ts';
import { backlog } from './backlog.ts';
import { brokerOutage } from './broker-outage.ts';
import { chain } from './chain.ts';
import { cutOff, frozenNode, isolatedNode, nodeLoss } from './cluster-faults.ts';
import { damagedStore } from './damaged-store.ts';
import { falseStamps } from './false-stamps.ts';
import { fullDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { lostLog } from './lost-log.ts';
import { outcomeUnknown, stepUnanswered } from './dropped-answers.ts';
import { massDeath } from './mass-death.ts';
import { openTransaction } from './open-transaction.ts';
import { overload } from './overload.ts';
import { poison } from './poison.ts';
import { rebalanceStorm } from './rebalance-storm.ts';
import { staleStore } from './stale-store.ts';
import { starvation } from './starvation.ts';
import { stoppedProcess } from './stopped-process.ts';
import { truncatedChangelog } from './truncated-changelog.ts';
import { wrongClock } from './wrong-clock.ts';

/** In the order in which they run: the proof of "exactly once" first, those of three nodes together. */
export const scenarios: readonly Scenario[] = [
  kills,
  outcomeUnknown,
  stepUnanswered,
  stoppedProcess,
  backlog,
  staleStore,
  truncatedChangelog,
  poison,
  assembled,
  chain,
  brokerOutage,
  nodeLoss,
  cutOff,
  frozenNode,
  isolatedNode,
  openTransaction,
  lostLog,
  damagedStore,
  falseStamps,
  wrongClock,
  fullDisk,
  starvation,
  massDeath,
  rebalanceStorm,
  overload,
  skipped('F19', 'failing webhooks', 'nothing delivers webhooks yet'),
  skipped('F20', 'attacks on the HTTP interface', 'not a fault of a broker or a process'),
  skipped('F21', 'faults in virtual time', 'by seed in the simulator, not on a broker'),
  skipped('F22', 'soak', 'hours'),
];

/** The gate's share: one node, a few minutes; each with as many trials as it has worthwhile kinds of fault. */
export const sample: ReadonlyMap<string, number> = new Map([
  ['F1', 2],
  ['F2', 1],
  ['F2/debounce', 1],
  ['F2b', 1],
  ['F3/lease', 1],
  ['F4', 1],
  ['F9', 3],
  ['F14', 1],
  ['F15', 1],
  ['F17', 1],
]);

function skipped(id: string, title: string, reason: string): Scenario {
  return { id, title, nodes: 1, variants: 0, skipped: reason, run: () => Promise.reject(new Error(reason)) };
}
