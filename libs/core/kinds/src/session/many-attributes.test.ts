// An event may have as many attributes as its bytes hold, whatever a session keeps of them.
import { describe, expect, test } from '@jest/globals';
import type { SessionEntry } from './index.ts';
import type { StateBytes } from '../state-bytes.ts';
import { applyEvent } from './apply-event.ts';
import { blankDetail } from './detail.ts';
import { at, event, opened, plainTexts, rules } from './session.fixture.ts';
import { blankTexts, SessionTexts } from './texts.ts';

/** Counts how often the bytes are asked for: once for each walk through a list. */
class CountedBytes implements StateBytes {
  readonly #bytes: StateBytes;
  reads = 0;

  constructor(bytes: StateBytes) {
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array {
    this.reads += 1;
    return this.#bytes.bytes;
  }
  get view(): DataView {
    return this.#bytes.view;
  }
  get start(): number {
    return this.#bytes.start;
  }
  get length(): number {
    return this.#bytes.length;
  }
  setUint8(position: number, value: number): void {
    this.#bytes.setUint8(position, value);
  }
  setUint32(position: number, value: number): void {
    this.#bytes.setUint32(position, value);
  }
  splice(position: number, removed: number, from: Uint8Array, count: number): void {
    this.#bytes.splice(position, removed, from, count);
  }
  copy(): Uint8Array {
    return this.#bytes.copy();
  }
}

const RULES = rules({ maxAttributes: 8, maxAttributeBytes: 65_536 });

interface Counted {
  readonly entry: SessionEntry;
  readonly bytes: CountedBytes;
}

/** A session that holds `held-0` to `held-7`. */
function full(): Counted {
  const bytes = new CountedBytes(blankTexts().state);
  const texts = new SessionTexts(bytes);
  const entry = opened(at(1), RULES);
  entry.detail = { ...blankDetail(1, 1), texts };
  const attributes = new Map(Array.from({ length: 8 }, (_, i) => [`held-${i}`, 'v']));
  applyEvent(entry, RULES, event({ attributes }), at(1));
  bytes.reads = 0;
  return { entry, bytes };
}

function readsFor(attributes: Map<string, string>): number {
  const { entry, bytes } = full();
  applyEvent(entry, RULES, event({ attributes }), at(2));
  return bytes.reads;
}

const names = (count: number): [string, string][] => Array.from({ length: count }, (_, i) => [`other-${i}`, 'v']);

describe('an event with very many attributes', () => {
  test('[X6][S10] walks through what the session holds no more often for 10 000 names than for 100', () => {
    expect(readsFor(new Map(names(10_000)))).toBe(readsFor(new Map(names(100))));
  });

  test('[S10] changes those held, wherever they stand among the others, and says truncated', () => {
    const { entry } = full();
    const attributes = new Map([...names(500), ['held-5', 'new'], ...names(900), ['held-2', 'newer']]);
    applyEvent(entry, RULES, event({ attributes }), at(2));
    const texts = plainTexts(entry.detail!.texts!);
    const values = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i === 5 ? 'new' : i === 2 ? 'newer' : 'v'));
    expect(texts.attributes.map(([name, value]) => [name, value])).toEqual(
      values.map((value, i) => [`held-${i}`, value]),
    );
    expect(entry.detail!.texts!.truncated).toBe(true);
  });

  test('[X6][S10] a name longer than all that is held is not searched for', () => {
    expect(readsFor(new Map([['x'.repeat(100_000), 'v']]))).toBe(0);
  });
});
