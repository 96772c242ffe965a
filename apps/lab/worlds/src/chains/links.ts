// Chains of pipelines that routes join, one of which a world draws (P3): what each link is, and what a producer sends to the first.
import { partitionOf, type Random } from '@flatline/base';
import type { ProducedRecord, SimulatedLog } from '@flatline/cluster';
import type { PipelineSection } from '@flatline/kind-modules';
import type { RouteRules } from '@flatline/kinds/routing';

/** A pipeline of a chain: it reads `<name>-in`. */
export interface Link {
  readonly name: string;
  readonly section: Readonly<Record<string, unknown>> & { readonly kind: PipelineSection['kind'] };
  readonly routes: readonly RouteRules[];
}

/** The record to send, and its key. `offsets`: those of the records of that key so far. */
type Traffic = (random: Random, offsets: readonly number[]) => Omit<ProducedRecord, 'key'>;

export interface Chain {
  readonly links: readonly [Link, ...Link[]];
  readonly traffic: Traffic;
}

const KEYS = Array.from({ length: 12 }, (_, i) => `k${i}`);
const GROUPS = ['north', 'south', 'east'] as const;
const utf8 = new TextEncoder();

const REMIND = { 'flatline-delay-ms': '1s' } as const;
const VISITS = { kind: 'session', timeoutMs: 1_500 } as const;
const REMINDERS: Link = { name: 'reminders', section: { kind: 'schedule' }, routes: [] };

/** Some views say no group: what is routed by it cannot be. */
const visiting: Traffic = (random) => {
  if (random.chance(0.2)) return { value: null };
  const cart = random.chance(0.5) ? 'full' : 'empty';
  const attributes = { group: GROUPS[random.below(GROUPS.length)]!, cart };
  return { value: random.chance(0.8) ? JSON.stringify({ type: 'VIEW', attributes }) : '' };
};

/** Requests for leases, and what their holders say, some by the token of a former one. */
const holding: Traffic = (random, offsets) => {
  if (offsets.length === 0 || random.chance(0.4)) {
    const attributes = random.chance(0.8) ? { site: GROUPS[random.below(GROUPS.length)]! } : {};
    return { value: JSON.stringify({ type: 'STARTED', attributes }) };
  }
  const token = String(offsets[random.chance(0.7) ? offsets.length - 1 : random.below(offsets.length)]! + 1);
  const headers = [{ name: 'flatline-token', value: utf8.encode(token) }];
  return { value: random.chance(0.7) ? '' : null, headers };
};

export const CHAINS = {
  /** A timeout schedules, an end cancels. */
  visitsToReminders: {
    traffic: visiting,
    links: [
      {
        name: 'visits',
        section: VISITS,
        routes: [
          {
            on: ['TIMEOUT'],
            where: { '/attributes/cart': 'full' },
            to: 'reminders-in',
            value: '/incarnation',
            headers: REMIND,
          },
          { on: ['ENDED'], to: 'reminders-in', value: null },
        ],
      },
      REMINDERS,
    ],
  },
  /** Groups of timeouts fall silent first, and some have no group. */
  visitsToGroupsToReminders: {
    traffic: visiting,
    links: [
      {
        name: 'visits',
        section: VISITS,
        routes: [{ on: ['TIMEOUT'], to: 'groups-in', key: '/attributes/group', value: '/sessionId' }],
      },
      {
        name: 'groups',
        section: { kind: 'debounce', waitMs: 800 },
        routes: [{ to: 'reminders-in', value: '/items', headers: { ...REMIND, 'flatline-schedule-id': '/windowId' } }],
      },
      REMINDERS,
    ],
  },
  /** One alert for each site whose leases expire, and its silence ends what was seen of the site. */
  leasesToSitesToSights: {
    traffic: holding,
    links: [
      {
        name: 'gateways',
        section: { kind: 'lease', timeoutMs: 1_500, minTimeoutMs: 1_000 },
        routes: [
          { on: ['EXPIRED'], to: 'lost-in', key: '/attributes/site', value: '/leaseId' },
          { on: ['lease.granted'], to: 'sights-in', key: '/attributes/site', value: { text: '{"type":"SEEN"}' } },
        ],
      },
      {
        name: 'lost',
        section: { kind: 'debounce', waitMs: 800 },
        routes: [{ on: ['QUIET'], to: 'sights-in', value: null }],
      },
      { name: 'sights', section: { kind: 'session', timeoutMs: 20_000 }, routes: [] },
    ],
  },
  /** Runs go on; and a function makes several records at once. */
  visitsToRemindersToCalls: {
    traffic: visiting,
    links: [
      {
        name: 'visits',
        section: VISITS,
        routes: [
          {
            to: 'reminders-in',
            record: ({ key, output }) => {
              const said = { 'flatline-delay-ms': 700, visit: String(output['incarnation']) };
              return output['reason'] === 'ENDED'
                ? [
                    { key: `${key}/end`, headers: said },
                    { key, value: null },
                  ]
                : { value: { eventCount: output['eventCount'] }, headers: said };
            },
          },
        ],
      },
      {
        name: 'reminders',
        section: { kind: 'schedule' },
        routes: [{ on: ['DUE'], to: 'calls-in', key: '/headers/visit', value: { text: '{"type":"CALL"}' } }],
      },
      { name: 'calls', section: { kind: 'session', timeoutMs: 2_000 }, routes: [] },
    ],
  },
} satisfies Readonly<Record<string, Chain>>;

export type ChainName = keyof typeof CHAINS;

/** Produces to the first link. */
export class ChainTraffic {
  readonly #traffic: Traffic;
  readonly #topic: string;
  readonly #random: Random;
  readonly #offsets = new Map<string, number[]>();

  constructor({ links: [{ name }], traffic }: Chain, random: Random) {
    this.#traffic = traffic;
    this.#topic = `${name}-in`;
    this.#random = random;
  }

  act(log: SimulatedLog): void {
    const key = KEYS[this.#random.below(KEYS.length)]!;
    const offsets = this.#offsets.get(key) ?? [];
    this.#offsets.set(key, offsets);
    const partition = partitionOf(utf8.encode(key), log.partitionsOf(this.#topic));
    offsets.push(log.produce(this.#topic, partition, { key, ...this.#traffic(this.#random, offsets) }));
  }
}
