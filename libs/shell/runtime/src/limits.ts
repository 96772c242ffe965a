// Every queue, loop and batch of the runtime has its maximum here.
import type { DurationMs } from '@flatline/base';

/** Records applied before the event loop gets its turn, and how long such a slice, or one of restoring, may take. */
export const STEP_RECORDS_MAX = 2_048;
export const SLICE_MS = 8;
/** Due entries visited per slice: heartbeats come first (architecture, What bounds it). */
export const EXPIRE_SLICE_MAX = 1_024;
/** Due entries between two looks at the time. */
export const EXPIRE_PIECE = 8;

/** Between two pieces of an eviction: 5 ms of work of all tasks, at what `evictedPerSecond` is by default. */
export const EVICTION_PAUSE_MS: DurationMs = 10;
/** Tasks of a process that have their pieces as often as that: where there are more, each has them more rarely. */
export const EVICTING_TASKS_AT_ONCE = 8;
/**
 * Length of the round in which each task that evicts has a piece. None waits longer than one and a half rounds, which is less than a
 * turn can make up for.
 */
export const EVICTION_PAUSE_MAX_MS: DurationMs = 500;
/** Entries that evictions end in a turn: 4 ms, where what was not done before is made up for. */
export const EVICTED_TURN_MAX = 256;

/** A commit goes without the group's offset where the one before began less than this part of `commitIntervalMs` ago. */
export const OFFSET_DENSITY = 4;

/** Bounds on what a task holds and writes at once. The simulation makes them small, so that each is met. */
export interface TaskBounds {
  /** A block stays well below a topic's default max.message.bytes of 1 MB. */
  readonly blockBytesMax: number;
  /** A changelog shorter than this is left unswept: a few hundred commits of a small application. */
  readonly unsweptLogBytes: number;
  /** Changes that may wait for a cut; stepping pauses beyond. */
  readonly pendingChangesMax: number;
  /** Most of OUTPUT_BYTES_TOTAL that one task may have. */
  readonly outputBytesMax: number;
  /** Entries that evictions end a second, in all tasks together, while nothing waits for them. */
  readonly evictedPerSecond: number;
  /** Owed records go out this many bytes a commit, to the end of a record; meanwhile other due entries wait. */
  readonly owedBytesMax: number;
  /**
   * Most that the commits of all tasks together may hold, the first bound of one task before the brokers' speed is known, and
   * the least it gets however slow they are. All as expected before they are cut; stepping pauses beyond.
   */
  readonly commitBytesTotal: number;
  readonly commitBytesFirst: number;
  readonly commitBytesMin: number;
  /** Most that may live in one partition (I7). Constants of the product, stated in SPEC. */
  readonly entriesMax: number;
  readonly keyBytesMax: number;
  readonly pageBytesMax: number;
  /** Bytes of one task's dead letters that may wait for a cut at most; one letter may come on top. */
  readonly deadLetterBytesMax: number;
  /** Images written of a cut before the event loop gets its turn: 4 ms, or less. The task itself pauses until the cut is made. */
  readonly cutSliceBytes: number;
  /**
   * Bytes of changelog that the local stores of all tasks together may lack before they are brought up to it, and the least
   * share of one task. Waiting pays: of a session that beats often only the last image is written. A killed process reads
   * again what they lacked.
   */
  readonly flushBytesTotal: number;
  readonly flushBytesMin: number;
  /** Longest time that a store may lack anything, once the next commit comes. */
  readonly flushIntervalMs: DurationMs;
  /** Puts and removals per write to the local store, about 6 ms. */
  readonly flushSlice: number;
  /** Stored entries loaded before the event loop gets its turn, about 6 ms. */
  readonly loadSlice: number;
  /** Places for entries visited, to arm timers and to end a load, before the event loop gets its turn: about 5 ms. */
  readonly armSlice: number;
}

export const TASK_BOUNDS: TaskBounds = {
  blockBytesMax: 256 * 1024,
  unsweptLogBytes: 1024 * 1024,
  pendingChangesMax: 200_000,
  outputBytesMax: 3 * 1024 * 1024,
  // A hundred thousand of two million within four seconds, with the looks at all of them.
  evictedPerSecond: 32_000,
  owedBytesMax: 512 * 1024,
  commitBytesTotal: 256 * 1024 * 1024,
  commitBytesFirst: 4 * 1024 * 1024,
  commitBytesMin: 64 * 1024,
  // Half a million of 2^25 slots are left for those that a commit in flight still names.
  entriesMax: 33_000_000,
  // An eighth of the memory for keys is left for places of sizes that do not come again.
  keyBytesMax: 7 * 2 ** 28,
  // A quarter of the memory for pages is left for what places have beyond their pages, and for places of other sizes.
  pageBytesMax: 3 * 2 ** 30,
  deadLetterBytesMax: 4 * 1024 * 1024,
  cutSliceBytes: 1024 * 1024,
  flushBytesTotal: 128 * 1024 * 1024,
  flushBytesMin: 1024 * 1024,
  flushIntervalMs: 60_000,
  flushSlice: 4_000,
  loadSlice: 8_000,
  armSlice: 50_000,
};

/**
 * Bytes of outputs of all tasks together that may wait for a cut, and the least share of one task. The more there are in a commit,
 * the fewer transactions a burst costs the brokers; the fewer, the sooner readers have what came due within it. With 8 MB a task
 * the brokers have as much to do as with 3, and others wait a quarter longer.
 */
export const OUTPUT_BYTES_TOTAL = 12 * 1024 * 1024;
export const OUTPUT_BYTES_MIN = 512 * 1024;
/** Most of `commitBytesTotal` that one task may have. */
export const COMMIT_BYTES_MAX = 32 * 1024 * 1024;
/** A commit should take at most this share of a transaction's timeout. */
export const COMMIT_TIMEOUT_SHARE = 1 / 3;
/** Factor on that share where the process's own delay is included. */
export const OWN_DELAY_FACTOR = 2;
/** Interval at which a process checks, while a commit is under way, if it is itself late. */
export const OWN_DELAY_PROBE_MS = 50;
/** Looks at the time within a slice of a cut: pieces of half a millisecond, or of more where the machine is busy. */
export const CUT_SLICE_PIECES = 8;
/** A full task is shown as waiting for its commit after this long (X5). */
export const SLOW_COMMIT_MS = 1_000;
/** A reader without an answer for this long is shown as waiting for it (X5): longer than an election. */
export const READ_OBSTACLE_MIN_MS = 1_000;
/** From this share of what may live in a partition on, the log warns that it fills up. */
export const STATE_FILL_ALARM = 0.9;
/** Bytes of dead letters of all tasks together that may wait for a cut, and the least share of one task. */
export const DEAD_LETTER_BYTES_TOTAL = 32 * 1024 * 1024;
export const DEAD_LETTER_BYTES_MIN = 256 * 1024;
/** The same for rows that cuts take along for local stores, and the most that one task may have. */
export const TAKEN_ROW_BYTES_TOTAL = 128 * 1024 * 1024;
export const TAKEN_ROW_BYTES_MIN = 1024 * 1024;
export const TAKEN_ROW_BYTES_MAX = 32 * 1024 * 1024;
/** Upper bound on reusable memory for blocks, of all tasks together. */
export const FREE_BLOCK_BYTES_MAX = 64 * 1024 * 1024;
/** Most of `flushBytesTotal` that one task may have. */
export const FLUSH_BYTES_MAX = 32 * 1024 * 1024;
/** Local stores that a start begins to load before the group has assigned the partitions. */
export const WARM_STARTS_MAX = 64;
/** A store written this much earlier than the newest is assumed to have moved away, and is not loaded. */
export const WARM_START_RECENT_MS = 600_000;
/** Time for which a standby leaves a shared store to the partition's owner: longer than the owner waits for a store. */
export const STANDBY_STORE_AFTER_MS = 4_000;
/** Blocks of the changelog, and bytes of them, read or applied before the event loop gets its turn: some 5 ms. */
export const RESTORE_BLOCKS_PER_TURN = 16;
export const RESTORE_BYTES_PER_TURN = 512 * 1024;
/** Bytes of images out of a local store, however few: 2 ms to 5 ms of copying and hashing. */
export const LOAD_BYTES_PER_TURN = 2 * 1024 * 1024;
/** Pause between tries after an error that may pass. */
export const RETRY_FIRST_MS = 50;
export const RETRY_MAX_MS = 2_000;
/** A partition that waits at a stamp from the future looks again this often (C6). */
export const FUTURE_STAMP_RETRY_MS = 1_000;
/** Least time between two truncations of one changelog partition, where floors ripen more slowly than that. */
export const TRUNCATE_INTERVAL_MS = 30_000;
/** The same where more is written than the bytes that a floor ripens in, and how many times as much that is. */
export const TRUNCATE_INTERVAL_MIN_MS = 1_000;
export const TRUNCATE_SURPLUS = 9 / 8;
/** Floors remembered between truncations, and how far apart, in what a floor ripens in: of time, or of bytes. */
export const FLOORS_MAX = 128;
export const FLOORS_APART = 1 / 32;
/** Commit durations remembered for percentiles. */
export const DURATIONS_KEPT = 1_024;
/** How often, and how far apart, an input's end is asked for before a position beyond it is believed lost (R3). */
export const END_TRIES_MAX = 20;
export const END_PAUSE_MS = 500;
/**
 * How long a claim is waited for before the leader is asked whether its log still reaches there. Longer than
 * PROOF_PATIENCE_MS: a leader that was deposed has been left by then, and would say that the claim is lost.
 */
export const CLAIM_PATIENCE_MS = 15_000;
/**
 * How long the group's word that a partition is ours is acted on: the least `kafka.sessionTimeoutMs`. A member that stands still
 * for less keeps what it has.
 */
export const OWNERSHIP_CERTAIN_MS = 1_000;
/** Tries of a claim before restoring begins again. */
export const CLAIM_TRIES_MAX = 5;
/** The log warns of a transaction open on the input for this long (F10): longer than any producer should take. */
export const OPEN_TRANSACTION_ALARM_MS = 10_000;
/** Time for which a commit is put off if it has no news but clock records (C8). */
export const CLOCK_COMMITS_APART_MS: DurationMs = 10_000;
/** Requests for proof within `proofIntervalMs`, at most, while each closes something. */
export const FRUITFUL_ASKS = 4;
/** Requests are twice as far apart as the last one took to be answered, up to this: a leader election is no slow broker. */
export const SLOW_ASKS_APART_MS = 1_000;
/** Factor on how long closes wait where their task is behind: there throughput counts. */
export const CLOSES_BEHIND_FACTOR = 5;
/**
 * How long a clock record, or an end that was answered (C3), may take to be reached before another is asked for, and before the
 * leader that is read from is doubted; the same for the task's claim in the changelog.
 */
export const PROOF_PATIENCE_MS = 5_000;
/** A probe that is under way for longer is stuck, and so is an owner whose probes show nothing for that and their interval (Q5). */
export const PROBE_PATIENCE_MS: DurationMs = 2_500;
/** How soon it is asked again whether readers see a probe's commit. */
export const PROBE_LOOK_MS: DurationMs = 20;
/** From this share of a queue on, whoever asks is told that it fills up. */
export const QUEUE_FILL_ALARM = 0.8;
/** Records at which a task may fail within RECORD_FAILURES_SPAN_MS; with one more its partition waits for an operator (I6). */
export const RECORD_FAILURES_MAX = 16;
export const RECORD_FAILURES_SPAN_MS = 3_600_000;
