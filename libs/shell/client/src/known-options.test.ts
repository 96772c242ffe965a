// Ties what is checked of a call to what it takes: the compiler finds an option that has one home only.
import { expect, test } from '@jest/globals';
import type { Needed, Wanted } from './check-options.ts';
import type { Evicted } from './directory-acts.ts';
import type {
  DirectoryGetOptions,
  DirectoryListOptions,
  DirectoryOptions,
  DirectoryWatchAllOptions,
  DirectoryWatchOptions,
} from './directory.ts';
import type { ConnectOptions, Flatline } from './flatline.ts';
import type { SummariesOptions } from './open-summaries.ts';
import { CALLS } from './known-options.ts';
import type { LeaderOptions } from './leadership.ts';
import type { LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
import type { SessionOptions } from './live-sessions.ts';
import type { SessionsOutputsOptions } from './open-outputs.ts';
import type { PushOptions } from './pushed-items.ts';
import type { ScheduleName, ScheduleOptions } from './sent-schedules.ts';

type Call = Exclude<keyof Flatline, 'close' | 'summaries'>;
type OptionsOf = { readonly [Each in Call]: Parameters<Flatline[Each]>[0] } & {
  readonly connect: ConnectOptions;
  readonly directory: DirectoryOptions;
  readonly lookUp: DirectoryGetOptions;
  readonly evict: Evicted;
  readonly watchKey: DirectoryWatchOptions;
  readonly watchAll: DirectoryWatchAllOptions;
  readonly list: DirectoryListOptions;
  readonly summaries: SummariesOptions;
  readonly summariesOfGroup: SessionsOutputsOptions;
  readonly session: SessionOptions;
  readonly push: PushOptions;
  readonly add: ScheduleOptions;
  readonly schedule: ScheduleName;
  readonly acquire: LeaseWish;
  readonly resume: ResumeOptions;
  readonly watch: WatchOptions;
  readonly runWhileLeader: LeaderOptions;
};
/** Each of them, and what is required or not as it is there. */
type Known<Options> = {
  readonly [Name in keyof Options]-?: object extends Pick<Options, Name> ? Wanted : Needed;
};
/** Options checked that the call does not take. */
type Surplus = {
  readonly [Each in keyof OptionsOf]: Exclude<keyof (typeof CALLS)[Each], keyof OptionsOf[Each]>;
}[keyof OptionsOf];

test('[I4] every option of every call is checked, and none that there is not', () => {
  const known: { readonly [Each in keyof OptionsOf]: Known<OptionsOf[Each]> } = CALLS;
  const hasNoSurplus: [Surplus] extends [never] ? true : false = true;
  expect(Object.keys(known)).toEqual(Object.keys(CALLS));
  expect(hasNoSurplus).toBe(true);
});
