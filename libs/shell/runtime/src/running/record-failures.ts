// Decides about records at which a task fails, so that neither one record nor a passing fault of memory stops a
// partition for good (I6).
//
//   first failure at an offset   the state is dropped and restored, and the record applied once more
//   second                       state as committed and this record make it fail: it is refused, to the dead letters
//   third, or too many records within an hour   nothing that one record explains: an operator is needed
//
// Owns: which offsets failed.
// Does not own: restoring, refusing (PartitionTask).
import type { DurationMs } from '@flatline/base';
import { firstPlaceOf, inputAt, offsetAt } from '@flatline/kinds';
import type { RecordFailed } from '@flatline/partition';
import { RECORD_FAILURES_MAX, RECORD_FAILURES_SPAN_MS } from '../limits.ts';

export type RecordVerdict = 'restore' | 'refuse' | 'stop';

export class RecordFailures {
  /** Place of the last first failure (`input-place.ts`): the next one there is its second. */
  #suspect: number | undefined;
  readonly #refused = new Map<number, string>();
  /** First failures within the span: the second one at a record tells no more. */
  #times: DurationMs[] = [];

  note({ offset, input, message }: RecordFailed, monotonicNow: DurationMs): RecordVerdict {
    const place = firstPlaceOf(input) + offset;
    if (this.#refused.has(place)) return 'stop';
    if (this.#suspect === place) {
      this.#suspect = undefined;
      this.#refused.set(place, message);
      return 'refuse';
    }
    this.#suspect = place;
    this.#times = this.#times.filter((time) => monotonicNow - time < RECORD_FAILURES_SPAN_MS);
    this.#times.push(monotonicNow);
    return this.#times.length > RECORD_FAILURES_MAX ? 'stop' : 'restore';
  }

  /** Offsets of the input to be refused from `position` on, each with why. Those below have been, in a commit. */
  refusedFrom(position: number, input = 0): ReadonlyMap<number, string> {
    const left = new Map<number, string>();
    for (const [place, why] of this.#refused) {
      if (inputAt(place) !== input) continue;
      if (offsetAt(place) < position) this.#refused.delete(place);
      else left.set(offsetAt(place), why);
    }
    return left;
  }
}
