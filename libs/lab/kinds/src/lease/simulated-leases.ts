// Worlds of leases: holders that renew and release, zombies with former tokens, retries, starts that compete.
import type { Clock, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import { leaseKind, type LeaseRules } from '@flatline/kinds/lease';
import { keyedRecord } from '@flatline/oracle';
import type { Said } from '@flatline/oracle/lease';
import { gated } from '@flatline/records/gate';
import { openLeaseEventEncoder, RequestFormats } from '@flatline/records/leases';
import { attributesToEvict, commandOf, evictionBy } from '../worlds/acts.ts';
import { type AttributesOfWorld, drawAttributes } from '../worlds/attributes.ts';
import { commonRules, type KindScenario } from '../worlds/common-rules.ts';
import { type Actors, type Judged, type SimulatedKind, textIn, type Word } from '../worlds/simulated-kind.ts';
import { INPUT, OUTPUT } from '../worlds/topics.ts';
import { whateverLived } from '../worlds/whatever-lived.ts';
import { GrantedTokens } from './granted-tokens.ts';
import { hasContenders, LEADER, LEADER_PARTITION, LeaseContenders } from './lease-contenders.ts';

const TOKEN_HEADER = 'flatline-token';
const REQUEST_ID_HEADER = 'flatline-request-id';
const utf8 = new TextEncoder();
const encoder = await openLeaseEventEncoder('json', OUTPUT, undefined);

export class SimulatedLeases implements SimulatedKind {
  readonly judged: Judged;
  readonly atCalm = undefined;
  readonly #rules: LeaseRules;
  readonly #scenario: KindScenario;
  readonly #simulation: Simulation;
  readonly #attributes: AttributesOfWorld | undefined;
  readonly #tokens: GrantedTokens;
  /** Acts of an operator (Q4), in some worlds: holders judged by their beliefs rely on there being none. */
  readonly #acts: Random | undefined;
  #contenders: LeaseContenders | undefined;

  constructor(simulation: Simulation, rules: LeaseRules, scenario: KindScenario) {
    // The same throughout: contenders compare what they said of themselves.
    [this.#attributes] = drawAttributes(simulation.random('attributes'), ['by']);
    const judged = { kind: 'lease', ...rules, ...commonRules(scenario, this.#attributes) } as const;
    this.judged = {
      rules: judged,
      whateverLived: whateverLived(judged),
      targets: [],
      tellsRoom: true,
      input: (record) => keyedRecord(record),
    };
    this.#rules = rules;
    this.#scenario = scenario;
    this.#simulation = simulation;
    this.#tokens = new GrantedTokens(simulation.log);
    const acts = simulation.random('acts');
    this.#acts = acts.chance(0.4) && !hasContenders(rules, scenario) ? acts : undefined;
  }

  get actors(): Actors | undefined {
    if (!hasContenders(this.#rules, this.#scenario)) return undefined;
    const contenders = (this.#contenders ??= new LeaseContenders(this.#simulation));
    return {
      act: () => {
        contenders.act();
      },
      rest: () => {
        contenders.rest();
      },
      // The answers are judged separately.
      faults: () => {
        const { log } = this.#simulation;
        const said = log.committed(OUTPUT, LEADER_PARTITION).filter(({ key }) => textIn(key) === LEADER);
        return contenders.faultsBy(said.map(saidIn), log.committed(INPUT, LEADER_PARTITION));
      },
    };
  }

  open(clock: Clock): PipelineKind {
    const formats = new RequestFormats({ format: 'json', registry: undefined, clock });
    const decoder = gated(this.#attributes?.attributes, formats);
    const { tombstones } = this.#scenario;
    return leaseKind({ rules: this.#rules, decoder, encoder, tombstones, outputTopic: OUTPUT });
  }

  record(key: string, random: Random): ProducedRecord {
    const draw = random.below(100);
    if (this.#acts?.chance(0.06) === true)
      return this.#acts.chance(0.4) ? commandOf(key, 'RELEASE') : evictionBy(this.#acts, ['by']);
    if (draw < 35) return { key, value: JSON.stringify({ ...startBy(random), ...this.#toEvict() }) };
    const token = this.#tokenFor(key, random);
    const bears = random.chance(0.5);
    const headers = bears && token !== undefined ? [{ name: TOKEN_HEADER, value: utf8.encode(String(token)) }] : [];
    if (random.chance(0.1)) headers.push({ name: REQUEST_ID_HEADER, value: utf8.encode(`r${random.below(4)}`) });
    if (draw >= 84 && draw < 88) return withdrawal(key, { requestId: `r${draw - 84}`, isBare: bears });
    const type = draw < 88 ? 'HEARTBEAT' : 'ENDED';
    if (!bears) return { key, value: JSON.stringify({ type, token }), headers };
    return { key, value: type === 'ENDED' ? null : '', headers };
  }

  #toEvict(): Readonly<Record<string, unknown>> {
    return this.#acts?.chance(0.6) === true ? { attributes: attributesToEvict(this.#acts, ['by']) } : {};
  }

  #tokenFor(key: string, random: Random): number | undefined {
    const tokens = this.#tokens.of(key);
    return random.chance(0.8) ? tokens.at(-1) : tokens[random.below(Math.max(1, tokens.length))];
  }

  failsAt(): boolean {
    return false;
  }

  word(record: LogRecord): Word | undefined {
    const said = saidIn(record);
    if (said === null) return undefined;
    const { type, reason, byOperator, at, token, offset } = said as unknown as Answer;
    // A record has one answer of a type, and a lease ends once.
    const id = type === 'EXPIRED' ? `${type} ${token}` : `${type} ${offset ?? `at ${at}`}`;
    const how = byOperator === true ? 'byOperator' : reason;
    return { id, what: how === undefined ? type : `${type}/${how}`, at, sums: undefined };
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

/** An end of no lease: the start that waits by this id leaves (L4). */
function withdrawal(key: string, { requestId, isBare }: { requestId: string; isBare: boolean }): ProducedRecord {
  if (!isBare) return { key, value: JSON.stringify({ type: 'ENDED', token: 0, requestId }) };
  return { key, value: null, headers: [{ name: REQUEST_ID_HEADER, value: utf8.encode(requestId) }] };
}

function saidIn({ value }: LogRecord): Said {
  return value && (JSON.parse(textIn(value)) as Said);
}

interface Answer {
  readonly type: string;
  readonly reason?: string;
  readonly byOperator?: boolean;
  readonly at: number;
  readonly token: number;
  readonly offset?: number | null;
}
