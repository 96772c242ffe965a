import type { KindName } from '@flatline/base';

interface RegressionSeed {
  readonly seed: number;
  readonly kind: KindName;
  readonly found: string;
}

/** Worlds that found something. Each is part of every test run, and comes first in the hunt for mutants of its kind. */
export const REGRESSION_SEEDS: readonly RegressionSeed[] = [
  {
    seed: 483,
    kind: 'session',
    found: 'floor 0 stated by the first commit after a start from a store without entries',
  },
  { seed: 28, kind: 'session', found: 'held time of a summary that depended on when its close was drained' },
  { seed: 30, kind: 'session', found: 'a deposed leader believed for ever, since its log shows an open transaction' },
  { seed: 440, kind: 'session', found: 'an end believed before it was reached, by proof by fetch (a mutant)' },
  {
    seed: 540,
    kind: 'session',
    found: 'commits on top of one that is lost, after a look-up below what was acknowledged (a mutant)',
  },
  {
    seed: 3339,
    kind: 'session',
    found: 'a floor forgotten with a store without entries, since batches hold several keys (a mutant)',
  },
  { seed: 564, kind: 'session', found: 'a lost claim waited for without end, once commits had grown (a mutant)' },
  { seed: 586, kind: 'session', found: 'the same, since a group of records stops where the commit is full (a mutant)' },
  {
    seed: 1812,
    kind: 'session',
    found: 'a floor forgotten with a store without entries, since stores are written late (a mutant)',
  },
  {
    seed: 4291,
    kind: 'session',
    found: 'acknowledged records of a stopped partition, judged before they were replicated',
  },
  {
    seed: 960_092,
    kind: 'session',
    found: 'an input that was cut before its first owner ran, judged by its former end',
  },
  { seed: 59_889_748, kind: 'schedule', found: 'a recurrence held back by its pace, judged by its next run' },
  {
    seed: 88_474_897,
    kind: 'debounce',
    found: 'a window opened by an older stamp, beside one that is owed: its timer was late',
  },
  { seed: 88_475_086, kind: 'debounce', found: 'a task that was fenced while it handed over, taken for the owner' },
  { seed: 960_161, kind: 'debounce', found: 'an item refused for room, judged before its dead letter was committed' },
  {
    seed: 82_652_890,
    kind: 'schedule',
    found: 'more due in the calm than maxDuePerSecond lets take effect in the time that every world had',
  },
  {
    seed: 15_650_567,
    kind: 'schedule',
    found: 'an input that was cut and grew again while its first owner restored, judged by its ends before and after',
  },
  {
    seed: 3_394_872,
    kind: 'debounce',
    found: 'windows that owed their parts when their partition had just been taken over, judged as if nothing lived',
  },
  {
    seed: 26_524_528,
    kind: 'schedule',
    found: 'where a partition begins, asked just before an unclean election and stated after it (a check too strict)',
  },
  {
    seed: 52_000_502,
    kind: 'session',
    found: 'a damaged row of a standby that its digest had not found yet, by a look at invariants (a check too strict)',
  },
  {
    seed: 51_000_738,
    kind: 'schedule',
    found: 'a clock moved by a record that an unclean election took while what fell due by it was on its way',
  },
  {
    seed: 52_004_865,
    kind: 'debounce',
    found: 'a beginning said by a new leader that knew a lower high watermark (a check too strict)',
  },
  {
    seed: 21_908_282,
    kind: 'session',
    found: 'statistics by an attribute that was hashed with a key that the judge has not (the judge)',
  },
  {
    seed: 21_908_458,
    kind: 'session',
    found: 'records behind a clock record that waited for an input which was silent, and was not asked',
  },
  {
    seed: 21_910_485,
    kind: 'session',
    found: 'a window that was over by the clock of a record that an unclean election took (a check too strict)',
  },
  {
    seed: 21_910_971,
    kind: 'session',
    found: 'records of a third input behind a clock record, as in 21908458',
  },
  {
    seed: 53_006_593,
    kind: 'session',
    found: "a commit of unknown outcome, written on top of another owner's that its changelog had lost",
  },
  {
    seed: 60_000_293,
    kind: 'session',
    found:
      'an input that was cut below its commit while it had no owner, judged before an owner had come (a check too strict)',
  },
  {
    seed: 120_000_064,
    kind: 'session',
    found: 'commits that may hold fewer bytes than what is kept beside the entries, and so held nothing',
  },
  {
    seed: 120_001_260,
    kind: 'session',
    found: 'statistics of windows that only the clock had passed, by a record that was not applied (the judge)',
  },
  {
    seed: 120_003_128,
    kind: 'session',
    found: 'windows passed before other settings closed what was due in them (the judge)',
  },
  {
    seed: 120,
    kind: 'session',
    found: 'a log longer than allowed where commits that say much beside changes outran what a round frees (K8)',
  },
  {
    seed: 75_788_392,
    kind: 'session',
    found: 'an eviction had a session that ended behind a window of statistics counted in that window (IN1, S12)',
  },
  {
    seed: 11_495_051,
    kind: 'session',
    found: 'a task that stopped for good over records it had read and not committed, though others had owned it since',
  },
  {
    seed: 77_243_501,
    kind: 'session',
    found:
      'a loss planned in the storm that came behind the greeting of the calm, to an owner with nothing to commit (the world)',
  },
  {
    seed: 230_003_085,
    kind: 'session',
    found: 'an erasure that was refused, and so erased nothing (a check too strict)',
  },
  {
    seed: 230_003_695,
    kind: 'schedule',
    found:
      'a leader cut off from its cluster under a schedule without further runs, for which nothing is awaited (the world)',
  },
  {
    seed: 80_419_187,
    kind: 'schedule',
    found: 'a stopped partition that runs again under its next owner as the world is judged (the world)',
  },
  {
    seed: 272_000_137,
    kind: 'schedule',
    found: 'a machine suspended for 1147 ms, which its owner did not count into the age of a group offset (the judge)',
  },
  {
    seed: 35_187_233,
    kind: 'session',
    found: "probes that leave the group's offset no moment in which it stands at the end (the world)",
  },
  {
    seed: 231,
    kind: 'lease',
    found: 'a record refused as without room while what an eviction had left was due',
  },
  {
    seed: 35_187_486,
    kind: 'session',
    found: 'an event that its reducer refuses by what it has come to, in a world whose clock was overtaken (the judge)',
  },
];
