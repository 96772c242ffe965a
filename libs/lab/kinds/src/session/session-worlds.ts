// Worlds of sessions: most worlds, since they reach the most of the engine.
import type { Random } from '@flatline/base';
import type { KindWorlds, WorldSubject } from '../worlds/kind-worlds.ts';
import { oneOf } from '../worlds/one-of.ts';
import { RULES, type SessionGrace, SimulatedSessions } from './simulated-sessions.ts';

export const sessionWorlds: KindWorlds<'session'> = {
  share: 'rest',
  reach: [
    'TIMEOUT',
    'TIMEOUT/held',
    'MAX_DURATION',
    'ENDED',
    'TIMEOUT/grace',
    'ENDED/grace',
    'TIMEOUT/absorbed',
    'TIMEOUT/further',
    'TIMEOUT/revised',
    'ENDED/revised',
    'TIMEOUT/reduced',
    'OPENED',
    'UPDATED',
    'TIMEOUT/capped',
    'TIMEOUT/hashed',
    'EVICTED',
    'EVICTED/grace',
    'ENDED/byOperator',
    'byFetch',
  ],
  startAt: () => undefined,
  draw: (random) => sessionsBy(drawGrace(random)),
};

/** Timeouts are drawn for every world (`KindScenario`). Where the broker stamps, none has a grace. */
function sessionsBy(grace: SessionGrace, isChanged = false): WorldSubject<'session'> {
  return {
    kind: 'session',
    rules: { ...RULES, ...grace },
    maxDuePerSecond: undefined,
    fit: () => ({}),
    mayChange: () => true,
    changed: () => sessionsBy(nextGrace(grace), true),
    simulate: (simulation, scenario) => new SimulatedSessions(simulation, scenario, grace, isChanged),
  };
}

function drawGrace(random: Random): SessionGrace {
  return {
    graceMs: oneOf(random, [0, 500, 2_000, 2_000, 10_000]),
    late: oneOf(random, ['deadLetter', 'drop'] as const),
  };
}

/** Without a draw, so that a seed's world is otherwise the one it was. */
function nextGrace({ graceMs, late }: SessionGrace): SessionGrace {
  return { graceMs: graceMs === 0 ? 2_000 : graceMs === 2_000 ? 700 : 0, late };
}
