// The kinds in the lab, one line each; the compiler names a kind that is missing.
import type { KindName } from '@flatline/base';
import { debounceLab } from './debounce/debounce-lab.ts';
import type { KindLab } from './kind-lab.ts';
import { leaseLab } from './lease/lease-lab.ts';
import { scheduleLab } from './schedule/schedule-lab.ts';
import { sessionLab } from './session/session-lab.ts';

export { openWindows } from './debounce/simulated-windows.ts';
export {
  ASSEMBLIES,
  type AssembledSight,
  type Assembly,
  assemblyOf,
  HASH_KEY_FILE,
  type InputSettings,
} from './session/assembled/assemblies.ts';
export { openSessions } from './session/simulated-sessions.ts';
export type { Act, KindTraffic, PipelineSection, ProducersSender } from './traffic/kind-traffic.ts';
export type { InputOfWorld, KindScenario } from './worlds/common-rules.ts';
export { drawHeldTime, heldByDefault } from './worlds/held-time.ts';
export type { WorldSubject } from './worlds/kind-worlds.ts';
export { oneOf } from './worlds/one-of.ts';
export { ASKS, type Judged, ON_PURPOSE, type SimulatedKind, textIn, type Word } from './worlds/simulated-kind.ts';
export { INPUT, MAX_KEY_BYTES, OUTPUT, STATS, TARGET } from './worlds/topics.ts';

export const KIND_LABS: { readonly [Kind in KindName]: KindLab<Kind> } = {
  session: sessionLab,
  lease: leaseLab,
  debounce: debounceLab,
  schedule: scheduleLab,
};
