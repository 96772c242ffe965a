// All scenarios, in the order of docs/SPEC.md.
import type { Scenario } from '../scenario.ts';
import { backlog } from './backlog.ts';
import { kills } from './kills.ts';
import { outcomeLost, stepLost } from './lost-answers.ts';
import { poison } from './poison.ts';
import { staleStore } from './stale-store.ts';
import { stoppedProcess } from './stopped-process.ts';

export const scenarios: readonly Scenario[] = [
  kills,
  outcomeLost,
  stepLost,
  stoppedProcess,
  backlog,
  staleStore,
  poison,
];

/** What the gate can afford: one node, a few minutes; each with as many runs as it has kinds of fault worth it. */
export const sample: ReadonlyMap<string, number> = new Map([
  ['F1', 3],
  ['F3', 1],
  ['F4', 1],
  ['F9', 3],
  ['F14', 1],
]);
