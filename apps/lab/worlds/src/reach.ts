// Events that a campaign of seeds must have seen (V12): one whose faults did not happen proves nothing, however green.
import { KIND_NAMES } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import { ACTS } from './nemesis/acts.ts';

/** Requests at which every fault must have hit; for the rarer ones below, any. */
const ESSENTIAL_REQUESTS = [
  'InitProducerId',
  'AddPartitionsToTxn',
  'AddOffsetsToTxn',
  'Produce',
  'TxnOffsetCommit',
  'EndTxn',
  'Fetch',
  'JoinGroup',
  'Heartbeat',
] as const;
const OTHER_REQUESTS = [
  'Metadata',
  'ListOffsets',
  'OffsetForLeaderEpoch',
  'OffsetFetch',
  'FetchBatch',
  'LeaveGroup',
  'DeleteRecords',
] as const;
const STORE_CALLS = ['StoreOpen', 'StoreScan', 'StoreWrite', 'StoreWipe', 'StoreClose'] as const;
const STORE_FAULTS = ['fails', 'failsForGood'] as const;
const LOSSES = ['dropped', 'answerDropped', 'late'] as const;
const CRASHES = ['crashBefore', 'crashSent', 'crashDone'] as const;
const REQUEST_FAULTS = [...LOSSES, ...CRASHES] as const;

/** Consequences: the faults not only happened, they mattered. */
const CONSEQUENCES = [
  'StoreWrite/crashBefore',
  'StoreWrite/crashAfter',
  'Subscription/fails',
  'EndTxn/refused',
  'transaction/commit',
  'transaction/abort',
  'transactionTimeout',
  'initAbortsOpenTransaction',
  'commitOutcomeUnknown',
  'commitRanOut',
  'commitUndone',
  'zombieLetGo',
  'memberExpired',
  'rebalance',
  'truncation',
  'truncationByBytes',
  'erased',
  'erasedForGood',
  'logTailLost',
  'deposedLeaderAnswers',
  'staleLeader',
  'staleLeaderLeft',
  'uncleanElection',
  'divergenceFound',
  'stoppedForLoss',
  'brokerClocksDiffer',
  'replicationStalled',
  'partitionWaits',
  'standbyTookOver',
  'warmStart',
  'storeDropped/checksum',
  'storeDropped/format',
  'storeDropped/unreadable',
  'storeDropped/unclean-after-reboot',
  'storeDropped/behind-log-start',
  'storeDropped/given-up',
  'flushRetried',
  'restoredForRecord',
  'refusedRecord',
  'recordFailed',
  'noSpaceLeft',
  'clockOvertaken',
  'stateFull',
  'formerTypeReadOver',
  'beganBehindTheLogStart',
  'beganAtTheEndOfNothing',
  'changelogLost/commits/stopped',
  'changelogLost/claims/goesOn',
  'settingsChanged',
  'probed',
  'probeStuck/append',
  'probeStuck/fetch',
  'probeStuck/commit',
  'ownerSilent',
  'wheelsChecked',
  'wheelsCheckedAfterTakeover',
] as const;

/** Seeds from which on everything must have happened at least once. */
export const REACH_SEEDS_MIN = 2_000;

/** Names of events that should have happened and did not. */
export function missedOf(fired: ReadonlyMap<string, number>): string[] {
  const wanted = [
    ...ACTS.map(({ name }) => `nemesis/${name}`),
    ...ESSENTIAL_REQUESTS.flatMap((request) => REQUEST_FAULTS.map((fault) => `${request}/${fault}`)),
    ...STORE_CALLS.flatMap((call) => STORE_FAULTS.map((fault) => `${call}/${fault}`)),
    ...LOSSES.map((fault) => `ClockRecord/${fault}`),
    ...CONSEQUENCES,
    ...KIND_NAMES.flatMap((kind) => KIND_LABS[kind].worlds.reach.map((what) => `${kind}/${what}`)),
  ];
  const rare = OTHER_REQUESTS.filter((request) => !REQUEST_FAULTS.some((fault) => fired.has(`${request}/${fault}`)));
  // So few of them are under way at a time that each kind of crash hits one in some 500 worlds.
  const crashed = CRASHES.some((fault) => fired.has(`ClockRecord/${fault}`));
  return [
    ...wanted.filter((name) => !fired.has(name)),
    ...rare.map((request) => `${request}/any`),
    ...(crashed ? [] : ['ClockRecord/crash']),
  ];
}
