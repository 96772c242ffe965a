// Compares `<output>.stats` with what the input makes of it: every window once per partition and dimensions, in no commit before
// all of it has happened, with the figures that the sessions give it (S12).
//
// Owns: records that are expected and have not been met.
// Does not own: the records expected (NaiveStats).
import { textOf } from '../logs/byte-names.ts';
import type { OutputRecord } from '../logs/history.ts';
import { fieldDifferences } from '../rules/differences.ts';
import { isFormer } from '../rules/statistics/exact-sketch.ts';
import type { ExpectedStats } from '../rules/statistics/naive-stats.ts';
import type { Feed } from './feed.ts';
import type { Place } from './place.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export class StatsCheck {
  readonly #place: Place;
  readonly #feed: Feed<OutputRecord>;
  readonly #isWhole: boolean;
  readonly #decidedBelow: number;
  readonly #expected = new Map<string, ExpectedStats>();
  /** Keys of records that were met before they had to be there. */
  readonly #early = new Set<string>();
  /** Why nothing more is judged; undefined: all is. */
  #whyNot: string | undefined;

  /** `decidedBelow`: records from there on may belong to commits that are not here. */
  constructor(
    place: Place,
    feed: Feed<OutputRecord>,
    of: { readonly isWhole: boolean; readonly decidedBelow: number },
  ) {
    this.#place = place;
    this.#feed = feed;
    this.#isWhole = of.isWhole;
    this.#decidedBelow = of.decidedBelow;
  }

  /** Statistics from here on rest on what the logs no longer tell. */
  giveUp(why: string): void {
    this.#whyNot ??= why;
  }

  /** Takes what must be said by the end of a commit, and what may be said already, and the records that say it. */
  async check(expected: readonly ExpectedStats[], mayBeSaid: readonly ExpectedStats[]): Promise<void> {
    for (const each of expected) if (!this.#early.delete(each.key)) this.#expected.set(each.key, each);
    const possible = new Map(mayBeSaid.map((each) => [each.key, each]));
    while (this.#whyNot === undefined && (await this.#feed.fill())) {
      const { record } = this.#feed.next!;
      const key = keyOf(record);
      const said = this.#expected.get(key);
      const early = possible.get(key);
      // Another commit's, by settings of its own, or a fault, which the end shows.
      if (said === undefined && (early === undefined || differencesOf(record, early).length > 0)) return;
      this.#feed.take();
      if (said === undefined) this.#early.add(key);
      else this.#compare(record, said);
      possible.delete(key);
    }
  }

  async finish(): Promise<void> {
    if (this.#whyNot !== undefined) {
      this.#place.undecided(`the statistics: ${this.#whyNot}`);
      return;
    }
    for (; await this.#feed.fill();) {
      this.#judge(this.#feed.next!.record);
      this.#feed.take();
    }
    for (const { key } of this.#expected.values())
      if (this.#isWhole) this.#place.violation('S12', { key, what: 'the window is over, and is not said' });
      else this.#place.undecided('windows before its first record: the log begins above 0');
  }

  #judge(record: OutputRecord): void {
    const said = this.#expected.get(keyOf(record));
    if (said !== undefined) this.#compare(record, said);
    else if (record.offset >= this.#decidedBelow)
      this.#place.undecided('statistics of commits that came while this was read');
    else
      this.#place.violation('S12', {
        offset: record.offset,
        key: keyOf(record),
        what: 'is said twice, or of a window that is not over, or in which nothing was counted',
      });
  }

  #compare(record: OutputRecord, said: ExpectedStats): void {
    const { key } = said;
    this.#expected.delete(key);
    const different = differencesOf(record, said);
    if (different.length === 0) return;
    this.#place.violation('S12', { offset: record.offset, key, what: `says otherwise: ${different.join('; ')}` });
  }
}

function differencesOf({ summary = {} }: OutputRecord, expected: ExpectedStats): readonly string[] {
  const said = withSketch(summary);
  return fieldDifferences(said, asFormerAs(said, expected));
}

/** No log tells by which version a window was said: its sketch begins with what it is. */
function asFormerAs(
  { duration: said }: Readonly<Record<string, unknown>>,
  { fields, formerSketch: sketch }: ExpectedStats,
): Readonly<Record<string, unknown>> {
  const { sketch: given } = (said ?? {}) as { readonly sketch?: unknown };
  if (!(given instanceof Uint8Array) || !isFormer(given)) return fields;
  return { ...fields, duration: { ...(fields['duration'] as object), sketch } };
}

function keyOf({ key }: OutputRecord): string {
  return key === null ? '' : textOf(key);
}

/** JSON has the sketch in base64. */
function withSketch(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { duration } = fields;
  if (typeof duration !== 'object' || duration === null) return fields;
  const { sketch } = duration as { readonly sketch?: unknown };
  if (typeof sketch !== 'string' || !BASE64.test(sketch)) return fields;
  return { ...fields, duration: { ...duration, sketch: bytesIn(sketch) } };
}

function bytesIn(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
