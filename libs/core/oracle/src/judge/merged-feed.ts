// The records of all inputs in the one order of S8: the least clock of its input once it is read, then the input's number, then
// the offset. Of one input it is the log.
//
// Owns: the clock of each input.
// Does not own: what a record means (InputWalk).
import type { Millis } from '@flatline/base';
import type { CommonRules, InputRecord, LogSource } from '../logs/history.ts';
import { isBelow, placeOf, type Positions } from '../logs/places.ts';
import { Feed } from './feed.ts';

/** Before all others, and no evidence: what lies below the beginning. */
const BEFORE = -1;

interface Head {
  readonly input: number;
  readonly record: InputRecord;
  readonly place: Millis;
}

/** How far a commit covers the inputs, and their clocks there. */
export interface MergedCommit {
  readonly positions: Positions;
  readonly clocks: readonly Millis[];
}

const NO_COMMIT: MergedCommit = { positions: [], clocks: [] };

export interface MergedFeedParts {
  readonly logs: readonly LogSource<InputRecord>[];
  readonly rules: CommonRules;
  /** True if the record was refused for its stamp, which moves no clock then (C6). */
  readonly isStampBad: (record: InputRecord) => boolean;
}

export class MergedFeed {
  readonly #parts: MergedFeedParts;
  readonly #feeds: readonly Feed<InputRecord>[];
  readonly #clocks: Millis[];
  #begins: Positions = [];
  #head: Head | undefined;

  constructor(parts: MergedFeedParts) {
    this.#parts = parts;
    this.#feeds = parts.logs.map((log) => new Feed(log));
    this.#clocks = parts.logs.map(() => 0);
  }

  /** Records below are read over. */
  beginAt(positions: Positions): void {
    this.#begins = positions;
    this.#head = undefined;
  }

  /** Records below the beginning had brought the inputs' clocks so far. */
  takeOver(clocks: readonly Millis[]): void {
    clocks.forEach((clock, input) => {
      this.#clocks[input] = clock;
    });
    this.#head = undefined;
  }

  /** The record that comes next, its offset a place; undefined: call `fill`, or there is none. */
  get next(): InputRecord | undefined {
    return this.#head?.record;
  }

  take(): void {
    const head = this.#head!;
    this.#feeds[head.input]!.take();
    this.#clocks[head.input] = Math.max(this.#clocks[head.input]!, head.place);
    this.#head = undefined;
  }

  /**
   * Finds the record that comes next. `commit`: beyond its clock of an input no stamp of a record that it covers has moved that
   * (C6); `isCovered`: only those. False: there is none.
   */
  async fill(commit: MergedCommit = NO_COMMIT, isCovered = false): Promise<boolean> {
    if (this.#feeds.length === 1) return this.#fillOne();
    let least: Head | undefined;
    for (const [input, feed] of this.#feeds.entries()) {
      if (!(await feed.fill())) continue;
      const record = this.#placed(input, feed.next!.record);
      const isOfCommit = isBelow(record.offset, commit.positions);
      if (isCovered && !isOfCommit) continue;
      const latest = isOfCommit ? commit.clocks[input] : undefined;
      const place = isBelow(record.offset, this.#begins) ? BEFORE : this.#placeOf(record, latest);
      if (least === undefined || place < least.place) least = { input, record, place };
    }
    this.#head = least;
    return least !== undefined;
  }

  async #fillOne(): Promise<boolean> {
    const [feed] = this.#feeds;
    const isThere = await feed!.fill();
    this.#head = isThere ? { input: 0, record: feed!.next!.record, place: 0 } : undefined;
    return isThere;
  }

  #placed(input: number, record: InputRecord): InputRecord {
    const { offset, lastOffset } = record;
    return {
      ...record,
      input,
      offset: placeOf(input, offset),
      clockBefore: this.#clocks[input]!,
      ...(lastOffset !== undefined && { lastOffset: placeOf(input, lastOffset) }),
    };
  }

  /** The clock of its input once the record is read. */
  #placeOf(record: InputRecord, latest: Millis = Infinity): Millis {
    const { input = 0 } = record;
    const { rules, isStampBad } = this.#parts;
    return Math.max(this.#clocks[input]!, isStampBad(record) ? 0 : saidBy(record, rules, latest));
  }
}

/** Returns a stamp's effect on the clock of its input, where the record is not refused for it. */
function saidBy({ input = 0, timestamp, logAppendTime }: InputRecord, rules: CommonRules, latest: Millis): Millis {
  const byBroker = (rules.inputs?.[input]?.timestampType ?? rules.timestampType) === 'LogAppendTime';
  if (timestamp < 0 || logAppendTime !== byBroker) return 0;
  return byBroker ? timestamp : Math.min(timestamp, latest);
}

/** The same of logs that are held: all their records, in the order of S8. Of one input they are its own, in theirs. */
export function inOneOrder(
  logs: readonly (readonly InputRecord[])[],
  rules: CommonRules,
  isStampBad: (record: InputRecord) => boolean = () => false,
): readonly InputRecord[] {
  if (logs.length === 1) return logs[0]!;
  const all = logs.flatMap((log, input) => {
    let clock = 0;
    return log.map((record) => {
      const placed = { ...record, input, offset: placeOf(input, record.offset), clockBefore: clock };
      clock = Math.max(clock, isStampBad(placed) ? 0 : saidBy(placed, rules, Infinity));
      return { placed, clock };
    });
  });
  // Places grow with the input's number, and with the offset.
  return all.sort((a, b) => a.clock - b.clock || a.placed.offset - b.placed.offset).map(({ placed }) => placed);
}
