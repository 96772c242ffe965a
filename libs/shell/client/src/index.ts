// The SDK: what applications import.
//
//   const flatline = connect({ brokers: ['127.0.0.1:9092'] });
//   const visitors = await flatline.sessions({ topic: 'visit-events', timeoutMs: 10_000 });
//   const visitor = visitors.session('visitor-7');
//   visitor.start();                                                // it beats by itself
//   visitor.event({ type: 'VIEW', attributes: { page: '/' } });
//   visitor.end();                                                  // it ends here, without waiting for the timeout
//
//   for await (const session of flatline.completedSessions({ topic: 'visits', group: 'billing' }))
//     await bill(session.id, session.summary);                      // committed once the next one is asked for
//
//   await flatline.handleBatches({ topic: 'reindex-runs', group: 'reindex', handler: ({ batch }) => reindex(batch.key, batch.items) });
//
//   const leases = await flatline.leases({ topic: 'leader-requests', answers: 'leaders' });
//   const lease = await leases.acquire('nightly-report');           // renewed by itself; lease.token fences what it writes
//   await flatline.close();                                         // everything sent is in the log
export { connect } from './connect.ts';
export type { ConnectOptions, Flatline } from './flatline.ts';
export type { Leases, LeasesOptions } from './open-leases.ts';
export type { Summaries, SummariesOptions } from './open-summaries.ts';
export type {
  Heartbeats,
  HeartbeatsOptions,
  ItemsOptions,
  SchedulesOptions,
  Sessions,
  SessionsOptions,
} from './senders.ts';
export {
  type Directory,
  directory,
  type DirectoryGetOptions,
  type DirectoryList,
  type DirectoryListOptions,
  type DirectoryOptions,
  type DirectoryWatchAllOptions,
  type DirectoryWatchOptions,
} from './directory.ts';
export type { DirectoryCredentials } from './directory-access.ts';
export type { ActPlace, Evicted, EvictionPlaces } from './directory-acts.ts';
export type { DirectoryChange, WatchedOutput } from './directory-watch.ts';
export type { DirectoryEntry } from './directory-entry.ts';
export type { Duration, Instant } from './check-times.ts';
export type { DroppedItems, Items, ItemsLimits, PushOptions } from './pushed-items.ts';
export type { Scheduled, ScheduleName, ScheduleOptions, Schedules, SchedulesLimits } from './sent-schedules.ts';
export type { RecordHeaders, RecordKey, RecordValue } from './message-bytes.ts';
export type { SaslOptions, Secret, TlsOptions } from './credentials.ts';
export { type LeaderOptions, type Leadership, LeaseLost } from './leadership.ts';
export type { LeaseStanding } from './lease-watch.ts';
export type { Lease, LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
export { LeaseNotGot } from './lease-not-got.ts';
export type { TasksOptions } from './tasks-options.ts';
export type { Task, Work } from './task.ts';
export type { TaskRetries } from './task-rules.ts';
// Errors thrown. Retriable may pass if tried again; Misconfigured, which is Fatal, means that a topic or setting is wrong.
export { Fatal, Misconfigured, PartitionStopped, Retriable } from '@flatline/base';
export { RecordTooLarge } from '@flatline/kafka';
export { BadInput } from '@flatline/records';
export type { SessionId } from './heartbeat-producer.ts';
export type { Dropped, Session, SessionEventInput, SessionOptions, SessionsLimits } from './live-sessions.ts';
export type {
  Batch,
  CompletedSession,
  Handling,
  LeaseOutput,
  Named,
  OutputOf,
  OutputsOptions,
  Run,
  RunsOptions,
  SessionsOutputsOptions,
} from './open-outputs.ts';
export type { SummaryView } from './output-kinds.ts';
export type { WatchTrouble } from './instance-troubles.ts';
export type { Trouble } from './trouble.ts';
export type { Retries } from './handled-outputs.ts';
export type {
  OutputRecord,
  ReceiptRecord,
  SummaryRecord,
  TombstoneRecord,
  UnreadableRecord,
  UpdateRecord,
} from './output-record.ts';
export type { ClosedOptions, OutputReaders } from './output-readers.ts';
export type { ReceivedReceipt } from '@flatline/records/runs';
