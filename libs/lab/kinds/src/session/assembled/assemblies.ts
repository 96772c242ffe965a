// Sessions as applications assemble them, for chaos: of several inputs or by the time of events, with what comes late, reducers,
// statistics, gates of attributes and erasures. What a configuration refuses together is in different assemblies.
import { type DurationMs, type Random, seededRandom } from '@flatline/base';
import type { ConfigurationInput } from '@flatline/config';
import type { KindTraffic } from '../../traffic/kind-traffic.ts';
import { oneOf } from '../../worlds/one-of.ts';
import { assembledAct, type Senders } from './assembled-act.ts';

type SessionSection = Extract<ConfigurationInput['pipelines'][number], { readonly kind: 'session' }>;
/** Settings of one input, beside its topic. */
export type InputSettings = Omit<Extract<SessionSection['input'], { readonly topic: string }>, 'topic'>;

/** Sights without which a trial's features did not matter (V12). */
export type AssembledSight = 'opened' | 'updated' | 'revised' | 'absorbed' | 'reduced' | 'hashed' | 'counted' | 'late';

export interface Assembly {
  /** Human-readable. */
  readonly name: string;
  readonly traffic: KindTraffic<'session'>;
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly inputs: readonly InputSettings[];
  readonly sights: readonly AssembledSight[];
}

/** Where a trial writes the key for hashes, beside its configuration. */
export const HASH_KEY_FILE = 'hash.key';

/** How long what is kept outlives silence: short, so that a trial ends. */
const KEPT_MS: DurationMs = 2_000;
/** More than a timeout and any grace: some of what comes so late revises, or is refused. */
const BEHIND_MAX_MS: DurationMs = 5_000;

type Settings = Omit<Partial<SessionSection>, 'kind' | 'name' | 'input' | 'output' | 'timeoutMs' | 'preset'>;

interface Drawn {
  readonly name: string;
  readonly pipeline: Settings;
  readonly inputs: readonly InputSettings[];
  readonly timestampType?: 'CreateTime';
  readonly sights: readonly AssembledSight[];
  readonly senders?: Partial<Senders>;
}

const UPDATED: Settings = { emit: ['opened', 'updated', 'closed'], updateIntervalMs: 400 };
const BY_PLAN = { name: 'plan', attribute: 'plan', max: 2 };
const BY_WHOM = { name: 'who', attribute: 'mail', max: 2 };
const REDUCED: Settings = {
  reducer: {
    total: { sum: '/n' },
    most: { max: '/n' },
    last: { last: '/attributes/plan' },
    pages: { set: { field: '/page', max: 2 } },
    way: { funnel: { field: '/page', steps: ['a', 'b', 'c'] } },
  },
};

const COUNTED: Settings = { stats: { windows: ['10s', '1m'], dimensions: [BY_PLAN] } };

const DRAWS: readonly ((random: Random) => Drawn)[] = [
  severalInputs,
  lateEvents,
  severalByTime,
  reducedByTime,
  counted,
  countedByHash,
];

function severalInputs(random: Random): Drawn {
  const unknownKey = oneOf(random, ['hold', 'open', 'deadLetter'] as const);
  const table = {
    touches: false,
    unknownKey,
    ...(unknownKey === 'hold' && { holdMs: KEPT_MS }),
    attributes: gate(random),
  };
  const hasRows = random.chance(0.5);
  const rows = {
    touches: false,
    format: 'json',
    unknownKey: 'deadLetter',
    attributes: { ...gate(random), at: '/after' },
  } as const;
  return {
    name: `several inputs (${unknownKey}, ${hasRows ? 'rows' : 'another stream'}), revised, gated, opened, updated, reduced, counted`,
    pipeline: { revisionWindowMs: KEPT_MS, ...UPDATED, ...REDUCED, ...COUNTED },
    inputs: [{ attributes: gate(random) }, table, hasRows ? rows : { attributes: gate(random) }],
    sights: ['opened', 'updated', 'revised', 'hashed', 'reduced', 'counted'],
    senders: { rowsAt: hasRows ? 2 : undefined },
  };
}

function lateEvents(random: Random): Drawn {
  return {
    name: 'event time, late events revise, gated, reduced, counted',
    pipeline: { graceMs: 500, late: 'revise', revisionWindowMs: KEPT_MS, ...REDUCED, ...COUNTED },
    inputs: [{ attributes: gate(random) }],
    timestampType: 'CreateTime',
    sights: ['revised', 'absorbed', 'hashed', 'late', 'reduced', 'counted'],
    senders: { behindMaxMs: BEHIND_MAX_MS },
  };
}

/** Sources that agree on no order: two streams and a table, by the time of their events (C7, S8). */
function severalByTime(random: Random): Drawn {
  const table = { touches: false, unknownKey: 'hold', holdMs: KEPT_MS, attributes: gate(random) } as const;
  return {
    name: 'several inputs by event time, late events revise, gated, reduced, counted',
    pipeline: { graceMs: 1_500, late: 'revise', revisionWindowMs: KEPT_MS, ...REDUCED, ...COUNTED },
    inputs: [{ attributes: gate(random) }, table, { attributes: gate(random) }],
    timestampType: 'CreateTime',
    sights: ['revised', 'absorbed', 'hashed', 'late', 'reduced', 'counted'],
    senders: { behindMaxMs: BEHIND_MAX_MS },
  };
}

function reducedByTime(random: Random): Drawn {
  const late = oneOf(random, ['deadLetter', 'drop'] as const);
  return {
    name: `event time, reduced, late: ${late}`,
    pipeline: { graceMs: oneOf(random, [500, 1_500]), late, ...REDUCED },
    inputs: [{}],
    timestampType: 'CreateTime',
    sights: ['absorbed', 'reduced', ...(late === 'drop' ? [] : (['late'] as const))],
    senders: { behindMaxMs: BEHIND_MAX_MS },
  };
}

function counted(): Drawn {
  return {
    name: 'counted, reduced, updated',
    pipeline: { ...COUNTED, ...REDUCED, ...UPDATED },
    inputs: [{}],
    sights: ['opened', 'updated', 'reduced', 'counted'],
  };
}

function countedByHash(random: Random): Drawn {
  const maxEvents = oneOf(random, [4, 8]);
  return {
    name: `counted by a hash, gated, updated, at most ${maxEvents} events`,
    pipeline: { stats: { windows: ['10s'], dimensions: [BY_PLAN, BY_WHOM] }, ...UPDATED, maxEvents },
    inputs: [{ attributes: gate(random) }],
    sights: ['opened', 'updated', 'hashed', 'counted'],
  };
}

export const ASSEMBLIES = DRAWS.length;

/** @param index from 0: each combination of features in turn; `seed` draws the rest. */
export function assemblyOf(index: number, seed: number): Assembly {
  const random = seededRandom(seed);
  const { timestampType = 'LogAppendTime', ...drawn } = DRAWS[index % DRAWS.length]!(random);
  const { name, pipeline, inputs, sights, senders } = drawn;
  const standbys = random.below(2);
  const all: Senders = { inputs: inputs.length, rowsAt: undefined, behindMaxMs: undefined, ...senders };
  return {
    name: standbys === 0 ? name : `${name}, with a standby`,
    timestampType,
    inputs,
    sights,
    traffic: {
      plural: 'sessions',
      section: (timeoutMs) => ({ kind: 'session', timeoutMs, standbys, maxTimeoutMs: KEPT_MS, ...pipeline }),
      sender: { by: 'producers', act: (each) => assembledAct(each, all) },
      lonely: () => ({ value: new Uint8Array() }),
    },
  };
}

/** `mail` always goes as a hash, `plan` always as it is; of the others the seed decides. */
function gate(random: Random): NonNullable<InputSettings['attributes']> {
  const hash = { hash: ['mail'], hashKey: { file: HASH_KEY_FILE } };
  return random.chance(0.5) ? hash : { ...hash, allow: ['plan', 'mail'] };
}
