// The cost of keeping leases alive, and how soon very many ends at once are reported. Compared with sessions of ZooKeeper and leases
// of etcd.
import type { DurationMs } from '@flatline/base';
import type { Application } from '../tasks/application.ts';
import { framed, over } from '../frame/frame.ts';
import { type Described, joined, type LineUp, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { takeApplicationTurns } from '../frame/turns.ts';
import { LEASE_PEER_NAMES, type LeasePeer, lookUpLeasePeer } from '../peers/lease-peers.ts';
import { short } from '../text-table.ts';
import { type FlatlineLeases, type LeasesGround, measureFlatlineLeases, WARM_UP_SHARE } from './flatline-leases.ts';
import { leasesPage, leasesRows, type LeasesTurn } from './leases-page.ts';

interface LeasesContender extends Described {
  readonly isPeer: boolean;
  take(ground: LeasesGround, application: Application): Promise<LeasesTurn>;
}

/** Sessions: live leases; half as many end together. Events: touches. */
const DEFAULTS = { sessions: 200_000, events: 2_000_000, partitions: 4, repeats: 3 };

/** For making those that end together, beside the time for each. */
const START_MS: DurationMs = 10_000;
const FLATLINE_MAKE_MS = 0.1;
/** A contender that has not reported all by then is measured by what it has. */
const DRAIN_MAX_MS: DurationMs = 45_000;
/** Share of a store's leases that is touched where their number is limited; the others end. */
const HELD_SHARE = 2 / 3;

const FLATLINE = 'exactly once, changelog, local store; touches come from one producer, as from a gateway';
const OURS: readonly (Pick<FlatlineLeases, 'name' | 'isJson'> & Described)[] = [
  { name: 'flatline', isJson: false, does: `${FLATLINE}: empty values with the token in a header` },
  { name: 'flatline JSON', isJson: true, does: 'the same with the token in a value in JSON' },
];

export const leases = framed({
  name: 'leases',
  description: 'touches of live leases, and leases that end in the same second, beside ZooKeeper and etcd: CPU, delay',
  settings: (options) => over(DEFAULTS, options),
  lineUp: async (options): Promise<LineUp<LeasesContender>> => {
    const peers = await Promise.all(
      LEASE_PEER_NAMES.map(async (name) => peerLineUp(name, await lookUpLeasePeer(name, options), peerContender)),
    );
    return joined({ ...NO_PEERS, contenders: OURS.map(ownContender) }, ...peers);
  },
  conditions: ({ sessions, events, partitions }) =>
    `${short(events)} touches of ${short(sessions)} leases in random order; ${short(expiring(sessions))} others due within a ` +
    `second; ${partitions} partitions`,
  measure: (ground: LeasesGround & { readonly repeats: number }, contenders: readonly LeasesContender[]) =>
    takeApplicationTurns(
      { ...ground, warmsUp: true },
      contenders.map((contender) => ({
        ...contender,
        hasOwnServer: contender.isPeer,
        take: (application) => contender.take(ground, application),
      })),
    ),
  report: ({ turns }) => ({ rows: leasesRows(turns), page: leasesPage(OURS.length) }),
});

function expiring(held: number): number {
  return Math.ceil(held / 2);
}

/** Expiries are the same in every form of touches. */
function ownContender({ name, does, isJson }: (typeof OURS)[number]): LeasesContender {
  const expiryOf = (leases: number): FlatlineLeases['expiry'] => {
    if (isJson) return undefined;
    return { leases, startMs: START_MS + FLATLINE_MAKE_MS * leases, drainMaxMs: DRAIN_MAX_MS };
  };
  return {
    name,
    does,
    isPeer: false,
    take: (ground, application) => {
      const expiry = expiryOf(expiring(ground.sessions));
      return measureFlatlineLeases(ground, application, { name, isJson, expiry });
    },
  };
}

function peerContender(peer: LeasePeer): LeasesContender {
  const { name, does, makeMs, leasesMax } = peer;
  return {
    name,
    does: `${does}; held in its memory`,
    isPeer: true,
    take: async ({ sessions, events }, { stateDir }) => {
      const held = Math.floor(Math.min(sessions, HELD_SHARE * leasesMax));
      const ending = Math.floor(Math.min(expiring(sessions), leasesMax - held));
      const expireAfterMs = Math.ceil(START_MS + makeMs * ending);
      const touched = { leases: held, touches: events, warmUpTouches: Math.ceil(WARM_UP_SHARE * events) };
      const task = { ...touched, expiring: ending, expireAfterMs, drainMaxMs: DRAIN_MAX_MS };
      const cost = await peer.keep(task, stateDir);
      const { drainMs, ended, twice, expired } = cost;
      return {
        contender: name,
        leases: held,
        touches: events,
        serverCpuMs: cost.touched.serverCpuMs,
        brokerCpuMs: undefined,
        brokerCompilingMs: undefined,
        clientCpuMs: cost.touched.clientCpuMs,
        expiry: { leases: ending, ended, twice, drainMs, cpuMs: expired.serverCpuMs },
      };
    },
  };
}
