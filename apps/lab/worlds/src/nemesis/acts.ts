// Everything the nemesis can do, and how often each is drawn against the others.
import type { ChangelogLosses } from './changelog-losses.ts';
import type { LeaderActs } from './leader-acts.ts';
import type { NetworkActs } from './network-acts.ts';
import type { ProcessActs } from './process-acts.ts';
import type { StoreActs } from './store-acts.ts';

export interface Hands {
  readonly processes: ProcessActs;
  readonly stores: StoreActs;
  readonly leaders: LeaderActs;
  readonly losses: ChangelogLosses;
  readonly network: NetworkActs;
}

export interface Act {
  readonly name: string;
  readonly weight: number;
  /** False if it cannot be done now. */
  readonly does: (hands: Hands) => boolean;
}

/** Their order is part of what a seed means. A campaign must have seen them all (reach.ts). */
export const ACTS: readonly Act[] = [
  { name: 'kill', weight: 2, does: ({ processes }) => processes.kill() },
  { name: 'killAll', weight: 1, does: ({ processes }) => processes.killAll() },
  { name: 'pause', weight: 2, does: ({ processes }) => processes.pause() },
  { name: 'pauseRestoring', weight: 2, does: ({ processes }) => processes.pauseRestoring() },
  { name: 'leave', weight: 1, does: ({ processes }) => processes.leave() },
  { name: 'join', weight: 1, does: ({ processes }) => processes.join() },
  { name: 'reboot', weight: 1, does: ({ processes }) => processes.reboot() },
  { name: 'diskReplaced', weight: 1, does: ({ stores }) => stores.diskReplaced() },
  { name: 'storeCopied', weight: 2, does: ({ stores }) => stores.storeCopied() },
  { name: 'storeStale', weight: 1, does: ({ stores }) => stores.storeStale() },
  { name: 'storeForeign', weight: 1, does: ({ stores }) => stores.storeForeign() },
  { name: 'storeDamaged', weight: 1, does: ({ stores }) => stores.storeDamaged() },
  { name: 'storeRots', weight: 1, does: ({ stores }) => stores.storeRots() },
  { name: 'leaderChange', weight: 2, does: ({ leaders }) => leaders.leaderChange() },
  { name: 'changelogLost', weight: 2, does: ({ losses }) => losses.changelogLost() },
  { name: 'changelogLostUnknown', weight: 1, does: ({ losses }) => losses.changelogLostUnknown() },
  { name: 'claimLost', weight: 1, does: ({ losses }) => losses.claimLost() },
  { name: 'followersStall', weight: 1, does: ({ leaders }) => leaders.followersStall() },
  { name: 'brokersSlow', weight: 1, does: ({ network }) => network.brokersSlow() },
  { name: 'cutOff', weight: 1, does: ({ processes }) => processes.cutOff() },
  { name: 'outage', weight: 1, does: ({ network }) => network.outage() },
  { name: 'diskFull', weight: 1, does: ({ stores }) => stores.diskFull() },
  { name: 'deviceFails', weight: 2, does: ({ stores }) => stores.deviceFails() },
  { name: 'clockStep', weight: 1, does: ({ processes }) => processes.clockStep() },
  { name: 'clockFreeze', weight: 1, does: ({ processes }) => processes.clockFreeze() },
  { name: 'clockDrift', weight: 1, does: ({ processes }) => processes.clockDrift() },
  { name: 'upstreamBegins', weight: 1, does: ({ network }) => network.upstreamBegins() },
  { name: 'upstreamEnds', weight: 1, does: ({ network }) => network.upstreamEnds() },
  { name: 'lull', weight: 1, does: ({ network }) => network.lull() },
];
