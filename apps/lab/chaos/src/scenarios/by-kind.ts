// The faults tried on a real broker for other kinds than sessions, too: F1, F2, F3, F4, F18 of each.
import { KIND_NAMES, type KindName } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import type { Scenario } from '../scenario.ts';
import { backlog } from './backlog.ts';
import { outcomeUnknown } from './dropped-answers.ts';
import { kills } from './kills.ts';
import { massDeathOfKind } from './mass-death.ts';
import { stoppedProcess } from './stopped-process.ts';

/** Without sessions, which all other scenarios use. */
const kinds = KIND_NAMES.filter((kind) => KIND_LABS[kind].traffic.sender.by === 'producers');

const tried: readonly Scenario[] = [kills, outcomeUnknown, stoppedProcess, backlog, massDeathOfKind];

/** `F1/lease`: each fault of all kinds, then the next, so that every third is of the same kind. */
export const scenariosByKind: readonly Scenario[] = tried.flatMap((scenario) =>
  kinds.map((kind) => ofKind(scenario, kind)),
);

/** Without its guards: sessions show the violations that they prevent. */
function ofKind(scenario: Scenario, kind: KindName): Scenario {
  const { id, title, run } = scenario;
  const { traffic } = KIND_LABS[kind];
  return {
    ...scenario,
    guards: [],
    id: `${id}/${kind}`,
    title: `${title}: ${traffic.plural}`,
    run: (context) => run({ ...context, traffic }),
  };
}
