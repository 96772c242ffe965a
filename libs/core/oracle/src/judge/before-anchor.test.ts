import { describe, expect, test } from '@jest/globals';
import type { InputRecord } from '../logs/history.ts';
import type { KindReading } from '../rules/reading.ts';
import { RULES } from '../rules/session/rules.fixture.ts';
import { BeforeAnchor } from './before-anchor.ts';
import { DelayCauses } from './delay-cause.ts';
import { Feed } from './feed.ts';
import { type JudgedRules, readingOf } from './kinds.ts';
import { OutputCheck } from './output-check.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';
import { blankReach } from './reach.ts';

const UNSAID_MAX = 100;
const KEYS = 20_000;
/** Number of keys alive at a time. */
const LIVING = RULES.timeoutMs / 100;

const LEASES: JudgedRules = {
  ...RULES,
  kind: 'lease',
  bucketMs: 0,
  onConflict: 'reject',
  maxWaiters: 0,
  lockDelayMs: 1_000,
  tokenEpoch: 0,
};

/** An output whose log is empty. */
function lost(reading: KindReading, isWhole: boolean): OutputCheck {
  const findings = new Findings();
  const place = new Place('out', 0, findings);
  const source = {
    topic: 'out',
    logStart: 1,
    read: () => Promise.resolve(undefined),
    hanging: () => Promise.resolve([]),
  };
  const common = { place, reading, findings, rules: RULES, settingsVary: false, isWhole };
  return new OutputCheck({ ...common, feed: new Feed(source), delayCauses: new DelayCauses(), decidedBelow: Infinity });
}

/** One record per key, which then falls silent. */
function start(offset: number): InputRecord {
  const key = new TextEncoder().encode(`key-${offset}`);
  const value = new TextEncoder().encode('{"type":"STARTED"}');
  const event = { type: 'STARTED', occurredAt: undefined, eventId: undefined, sequence: undefined };
  return {
    offset,
    key,
    value,
    timestamp: 100 * offset,
    logAppendTime: true,
    hasClockHeader: false,
    event: { ...event, timeoutMs: undefined, attributes: undefined, source: undefined },
  };
}

describe.each([
  ['sessions', RULES],
  ['leases with a lock delay', LEASES],
] as const)('of %s', (_kind, rules) => {
  test('[V1][X6] memory does not grow with the closes of which the output has lost the records', async () => {
    const reading = readingOf(0, rules, blankReach());
    let said = 0;
    const before = new BeforeAnchor({
      entries: reading.fold,
      images: new Map(),
      output: lost(reading, false),
      onSaid: () => {
        said += 1;
      },
      unsaidMax: UNSAID_MAX,
    });
    let most = 0;
    for (let folded = 0; folded < KEYS;) {
      const [next] = before.next([folded], [KEYS]);
      for (; folded < next!; folded += 1) reading.fold.record(start(folded));
      most = Math.max(most, reading.fold.remembered);
      await before.follow([folded]);
    }
    expect(most).toBeLessThan(4 * UNSAID_MAX + 4 * LIVING);
    // Each was counted as said (X3), except those still remembered.
    expect(said).toBeGreaterThan(KEYS - 4 * UNSAID_MAX);
  });
});
