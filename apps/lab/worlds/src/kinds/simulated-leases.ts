// Worlds of leases: holders that renew and release, zombies with former tokens, retries, starts that compete.
import type { Clock, DurationMs, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import { leaseKind, type LeaseRules, type PipelineKind } from '@flatline/kinds';
import { type FoldedLeases, foldLeases, type RawRecord, type Said } from '@flatline/oracle';
import { openLeaseEventEncoder, RequestFormats } from '@flatline/records';
import { oneOf } from '../one-of.ts';
import { INPUT, OUTPUT } from '../pipeline-names.ts';
import { GrantedTokens } from './granted-tokens.ts';
import { LEADER, LEADER_PARTITION, LeaseContenders } from './lease-contenders.ts';
import { type Actors, canonical, type ExpectedWords, type SimulatedKind, textIn, type Word } from './simulated-kind.ts';

export interface LeaseHolds {
  /** C8; undefined: nothing is held. */
  readonly heldTime: { readonly unheardMs: DurationMs; readonly maxHoldMs: DurationMs } | undefined;
}

const TOKEN_HEADER = 'flatline-token';
const REQUEST_ID_HEADER = 'flatline-request-id';
const utf8 = new TextEncoder();
const encoder = await openLeaseEventEncoder('json', OUTPUT, undefined);

export function drawLeaseRules(random: Random): LeaseRules {
  const timeoutMs = oneOf(random, [1_000, 2_000, 5_000]);
  return {
    timeoutMs,
    minTimeoutMs: 500,
    maxTimeoutMs: 9_000,
    bucketMs: oneOf(random, [0, 0, 700]),
    onConflict: oneOf(random, ['queue', 'queue', 'reject', 'replace'] as const),
    maxWaiters: 1 + random.below(3),
    lockDelayMs: oneOf(random, [0, 0, 1, 2_500]),
    maxDurationMs: oneOf(random, [undefined, undefined, 3 * timeoutMs]),
    tokenEpoch: oneOf(random, [0, 1, 8_191]),
    maxAttributes: 2,
    maxAttributeBytes: 64,
  };
}

/** Where a start ends the lease of another at once, no holder can know (L4). */
export function hasContenders({ onConflict }: LeaseRules): boolean {
  return onConflict !== 'replace';
}

export class SimulatedLeases implements SimulatedKind {
  readonly #rules: LeaseRules;
  readonly #holds: NonNullable<LeaseHolds['heldTime']>;
  readonly #simulation: Simulation;
  readonly #tokens: GrantedTokens;
  #contenders: LeaseContenders | undefined;

  constructor(simulation: Simulation, rules: LeaseRules, heldTime: LeaseHolds['heldTime']) {
    this.#rules = rules;
    this.#holds = heldTime ?? { unheardMs: 0, maxHoldMs: 1 };
    this.#simulation = simulation;
    this.#tokens = new GrantedTokens(simulation.log);
  }

  get actors(): Actors | undefined {
    if (!hasContenders(this.#rules)) return undefined;
    const contenders = (this.#contenders ??= new LeaseContenders(this.#simulation));
    return {
      act: () => {
        contenders.act();
      },
      rest: () => {
        contenders.rest();
      },
      faults: () => {
        const records = this.#simulation.log.committed(INPUT, LEADER_PARTITION);
        return contenders.faultsBy(this.#fold(records, LEADER_PARTITION).said.get(LEADER) ?? [], records);
      },
    };
  }

  open(clock: Clock): PipelineKind {
    const decoder = new RequestFormats({ format: 'json', registry: undefined, clock });
    return leaseKind({ rules: this.#rules, decoder, encoder, tombstones: true, outputTopic: OUTPUT });
  }

  record(key: string, random: Random): ProducedRecord {
    const draw = random.below(100);
    if (draw < 35) return { key, value: JSON.stringify(startBy(random)) };
    const token = this.#tokenFor(key, random);
    const bears = random.chance(0.5);
    const headers = bears && token !== undefined ? [{ name: TOKEN_HEADER, value: utf8.encode(String(token)) }] : [];
    if (random.chance(0.1)) headers.push({ name: REQUEST_ID_HEADER, value: utf8.encode(`r${random.below(4)}`) });
    const type = draw < 88 ? 'HEARTBEAT' : 'ENDED';
    if (!bears) return { key, value: JSON.stringify({ type, token }), headers };
    return { key, value: type === 'ENDED' ? null : '', headers };
  }

  #tokenFor(key: string, random: Random): number | undefined {
    const tokens = this.#tokens.of(key);
    return random.chance(0.8) ? tokens.at(-1) : tokens[random.below(Math.max(1, tokens.length))];
  }

  expect(records: readonly RawRecord[], partition: number): ExpectedWords {
    const { said, refused } = this.#fold(records, partition);
    return { said: new Map([...said].map(([key, words]) => [key, words.map(canonical)])), refused };
  }

  #fold(records: readonly RawRecord[], partition: number): FoldedLeases {
    const rules = this.#rules;
    return foldLeases(records, { partition, rules, heldTime: this.#holds, logAppendTime: true });
  }

  word(record: LogRecord): Word {
    const said = saidIn(record);
    if (said === null) return { text: 'null', what: 'tombstone', at: 0 };
    const { type, reason, at } = said as { readonly type: string; readonly reason?: string; readonly at: number };
    return { text: canonical(said), what: reason === undefined ? type : `${type}/${reason}`, at };
  }

  /** L3: one holds it at a time, and its token is greater than those before; L1: its end is said once. */
  faultsAmong(records: readonly LogRecord[]): readonly string[] {
    const faults: string[] = [];
    let last = -1;
    let isHeld = false;
    for (const said of records.map(saidIn)) {
      const [type, token] = [said?.['type'], Number(said?.['token'])];
      if (type === 'GRANTED') {
        if (token < last || (token === last && !isHeld)) faults.push(`[L3] ${token} is granted after ${last}`);
        if (token > last && isHeld) faults.push(`[L3] ${token} is granted while ${last} holds it`);
        [last, isHeld] = [token, true];
      } else if (type === 'EXPIRED' || type === 'RELEASED') {
        if (token !== last || !isHeld) faults.push(`[L1] ${token} has ${type}, and did not hold it`);
        isHeld = false;
      }
    }
    return faults;
  }
}

function startBy(random: Random): Readonly<Record<string, unknown>> {
  return {
    type: 'STARTED',
    ...(random.chance(0.7) && { timeoutMs: 300 + random.below(9_500) }),
    ...(random.chance(0.6) && { waitMs: random.below(6_000) }),
    ...(random.chance(0.4) && { requestId: `r${random.below(4)}` }),
    ...(random.chance(0.3) && { attributes: { by: 'x'.repeat(random.below(30)) } }),
  };
}

function saidIn({ value }: LogRecord): Said {
  return value && (JSON.parse(textIn(value)) as Said);
}
