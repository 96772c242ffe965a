// One partition of a topic to which outputs are routed (P3), read along with them: what comes next in it, and what is said of that.
//
// Owns: how far the partition is explained.
// Does not own: what outputs call for, which commit is looked at (RouteCheck).
import type { LogSource, RoutedRecord, RouteOrigin } from '../logs/history.ts';
import { Feed } from './feed.ts';
import type { Place } from './place.ts';
import { isAgain, keyIn } from './routed-record.ts';
import { writerOf, writers } from './transaction-walk.ts';

export const COMPACTED = 'what was routed there and may have been replaced since: the topic is compacted';
export const NOT_AT_HAND = 'what a function routed that the configuration does not have, or has in another version';

export interface RoutedLogParts {
  readonly place: Place;
  readonly source: LogSource<RoutedRecord>;
  /** Whose records are looked at; others are passed over. */
  readonly from: Pick<RouteOrigin, 'group' | 'partition'>;
  /** Records may be gone from it that later ones of their keys replace. */
  readonly isCompacted: boolean;
  /** No output is gone that may have brought about records here. */
  readonly hasAllOutputs: boolean;
}

export class RoutedLog {
  readonly place: Place;
  readonly isCompacted: boolean;
  readonly isWhole: boolean;
  /** It has been brought in line with the outputs. */
  isAnchored: boolean;
  /** Outputs were passed over without looking for their records. */
  isOpen = false;
  readonly #from: RoutedLogParts['from'];
  readonly #feed: Feed<RoutedRecord>;
  #last: RouteOrigin | undefined;

  constructor({ place, source, from, isCompacted, hasAllOutputs }: RoutedLogParts) {
    this.place = place;
    this.isCompacted = isCompacted;
    this.isWhole = source.logStart === 0;
    this.isAnchored = hasAllOutputs && this.isWhole;
    this.#from = from;
    this.#feed = new Feed(source, writers);
  }

  /** The next record from there, left in place; those that repeat are reported. */
  async next(): Promise<RoutedRecord | undefined> {
    const { group, partition } = this.#from;
    while (await this.#feed.fill()) {
      const { record } = this.#feed.next!;
      const { origin } = record;
      const isOurs = origin?.group === group && origin.partition === partition;
      if (isOurs && !isAgain(origin, this.#last)) return record;
      if (isOurs) this.#again(record);
      this.#feed.take();
    }
    return undefined;
  }

  /** Who wrote the next record; undefined: the source does not tell. */
  get writer(): string | undefined {
    return writerOf(this.#feed.next?.transaction);
  }

  /** Passes over the next record. */
  take(): void {
    this.#feed.take();
  }

  /** Takes the next record as explained. */
  took({ origin }: RoutedRecord): void {
    this.#feed.take();
    this.#last = origin;
    this.isAnchored = true;
  }

  unsure(): void {
    this.place.undecided('what was routed there first: a log begins above 0');
  }

  /** `output`: the offset of the one that calls for the record. */
  otherwise({ offset, key }: RoutedRecord, fault: string, output: number): void {
    this.place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `is not what output offset ${output} brings about: ${fault}`,
    });
  }

  /** No output that was looked at calls for it. `isFree`: outputs that are not known may have. */
  unexplained(next: RoutedRecord, isFree: boolean): void {
    if (!this.isAnchored) this.unsure();
    else if (this.isOpen) this.place.undecided(COMPACTED);
    else if (isFree) this.place.undecided(NOT_AT_HAND);
    else this.#extra(next);
  }

  #extra({ offset, key, origin }: RoutedRecord): void {
    this.place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `was routed by commit ${origin!.commit} of partition ${origin!.partition}, and no output calls for it`,
    });
  }

  #again({ offset, key, origin }: RoutedRecord): void {
    this.place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `was routed a second time, or out of order: record ${origin!.number} of commit ${origin!.commit} of partition ${origin!.partition}`,
    });
  }
}
