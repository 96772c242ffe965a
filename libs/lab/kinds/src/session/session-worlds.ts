// Worlds of sessions: most worlds, since they reach the most of the engine.
import type { KindWorlds, WorldSubject } from '../worlds/kind-worlds.ts';
import { RULES, SimulatedSessions } from './simulated-sessions.ts';

export const sessionWorlds: KindWorlds<'session'> = {
  share: 'rest',
  reach: ['TIMEOUT', 'TIMEOUT/held', 'MAX_DURATION', 'ENDED', 'byFetch'],
  startAt: () => undefined,
  draw: () => SESSIONS,
};

/** Timeouts are drawn for every world (`KindScenario`). */
const SESSIONS: WorldSubject<'session'> = {
  kind: 'session',
  rules: RULES,
  maxDuePerSecond: undefined,
  fit: () => ({}),
  mayChange: () => true,
  changed: () => SESSIONS,
  simulate: (simulation, scenario) => new SimulatedSessions(simulation, scenario),
};
