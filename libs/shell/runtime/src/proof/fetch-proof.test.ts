// Evidence of an answered request for the end (C3), against a log that is known in full.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { FetchProof } from './fetch-proof.ts';
import { PROOF_PATIENCE_MS } from '../limits.ts';

const RULES = { proofIntervalMs: 100, clockSkewMs: 500, tickMs: 10 };
const SEEDS = Number(process.env['SEEDS'] ?? 300);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

describe('[C3] evidence by an answered request for the end', () => {
  test('[C3] is append time plus time since receipt at the moment of asking, less the skew, once the end is reached', () => {
    const proof = new FetchProof(RULES);
    proof.heard({ appendedAt: 1_000_000, receivedAtMs: 50 });
    proof.asked(2_050.7);
    expect(proof.take(10)).toBeUndefined();
    // A record heard after the request was sent is no evidence for it.
    proof.heard({ appendedAt: 1_009_000, receivedAtMs: 2_060 });
    proof.answered(12);
    expect(proof.take(11)).toBeUndefined();
    expect(proof.take(12)).toBe(1_000_000 + 2_000 - 500);
    expect(proof.take(12)).toBeUndefined();
  });

  test('[C3] is none where the request was not answered', () => {
    const proof = new FetchProof(RULES);
    proof.heard({ appendedAt: 1_000, receivedAtMs: 0 });
    proof.asked(5_000);
    proof.answered(undefined);
    expect(proof.take(1e9)).toBeUndefined();
  });

  test('[C3] is none after it was found wrong, until something else was heard', () => {
    const proof = new FetchProof(RULES);
    proof.heard({ appendedAt: 90_000, receivedAtMs: 0 });
    proof.asked(1_000);
    proof.distrust();
    proof.answered(3);
    expect(proof.take(3)).toBe(-Infinity);
    expect(proof.advise({ earliestDue: 0, closed: 0 }, 9_000)).toEqual({ kind: 'none' });
    proof.heard({ appendedAt: 40_000, receivedAtMs: 9_000 });
    proof.asked(10_000);
    proof.answered(3);
    expect(proof.take(3)).toBe(41_000 - 500);
  });

  test.each(Array.from({ length: 10 }, (_, i) => i))(
    '[C3][X1] never passes the stamp of a record that is not applied (seeds of part %i)',
    (part) => {
      for (let seed = FIRST_SEED + part; seed < FIRST_SEED + SEEDS; seed += 10) {
        const { used, overtaken } = history(seed);
        if (overtaken.length > 0 || used === 0)
          throw new Error(`rerun: SEED=${seed} SEEDS=1 npm test -- runtime: used ${used}, ${overtaken.join(', ')}`);
      }
    },
  );
});

/**
 * A log whose leader's clock wanders by less than the skew, replicated at once; records arrive late, by any amount, and are
 * applied later still; answers take their time. Everything later than the evidence in use must be stamped at or past it.
 */
function history(seed: number): { used: number; overtaken: string[] } {
  const random = seededRandom(seed);
  const proof = new FetchProof(RULES);
  const log: number[] = [];
  const overtaken: string[] = [];
  const monotonicFrom = 1_000_000 + random.below(1_000_000);
  let trueMs = 0;
  let position = 0;
  let evidence = -Infinity;
  let used = 0;
  let answer: { end: number; at: number } | undefined;
  for (let turn = 0; turn < 2_000; turn += 1) {
    trueMs += random.below(random.chance(0.02) ? 5_000 : 60);
    const now = trueMs + monotonicFrom;
    if (random.chance(0.3)) {
      const stamp = Math.max(log.at(-1) ?? 0, trueMs + random.below(RULES.clockSkewMs / 2) - RULES.clockSkewMs / 4);
      if (stamp < evidence) overtaken.push(`offset ${log.length} is stamped ${stamp}, the clock acts as ${evidence}`);
      log.push(stamp);
    }
    if (random.chance(0.3) && position < log.length) {
      position += 1 + random.below(log.length - position);
      proof.heard({ appendedAt: log[position - 1]!, receivedAtMs: now });
    }
    if (answer !== undefined && answer.at <= now) {
      proof.answered(answer.end);
      answer = undefined;
    }
    const found = proof.take(position);
    if (found !== undefined) used += 1;
    evidence = Math.max(evidence, found ?? -Infinity);
    const unread = log[position];
    if (unread !== undefined && unread < evidence) overtaken.push(`offset ${position} is unread, stamped ${unread}`);
    if (proof.advise({ earliestDue: evidence, closed: 0 }, now).kind !== 'ask') continue;
    proof.asked(now);
    answer = { end: log.length, at: now + random.below(300) };
  }
  return { used, overtaken };
}

describe('[C3] when the end is asked for', () => {
  const asking = (): FetchProof => {
    const proof = new FetchProof(RULES);
    proof.heard({ appendedAt: 1_000_000, receivedAtMs: 0 });
    return proof;
  };

  test('[C3] not before the clock could act as something that is due, and a tick', () => {
    const proof = asking();
    const dueAt = 1_005_000;
    expect(proof.advise({ earliestDue: dueAt, closed: 0 }, 1_000)).toEqual({ kind: 'wait', delayMs: 4_000 + 10 + 500 });
    expect(proof.advise({ earliestDue: dueAt, closed: 0 }, 5_509)).toEqual({ kind: 'wait', delayMs: 1 });
    expect(proof.advise({ earliestDue: dueAt, closed: 0 }, 5_510).kind).toBe('ask');
    expect(proof.advise({ earliestDue: undefined, closed: 0 }, 9_000)).toEqual({ kind: 'none' });
  });

  test('[C3] one at a time, and one per proofIntervalMs', () => {
    const proof = asking();
    proof.asked(6_000);
    expect(proof.advise({ earliestDue: 1_000_000, closed: 0 }, 60_000)).toEqual({ kind: 'none' });
    proof.answered(undefined);
    expect(proof.advise({ earliestDue: 1_000_000, closed: 0 }, 6_040)).toEqual({ kind: 'wait', delayMs: 60 });
    expect(proof.advise({ earliestDue: 1_000_000, closed: 0 }, 6_100).kind).toBe('ask');
  });

  test('[C3][X5] again where an end is not reached for long', () => {
    const proof = asking();
    proof.asked(6_000);
    proof.answered(99);
    const silence = { earliestDue: 1_000_000, closed: 0 };
    expect(proof.advise(silence, 6_100)).toEqual({ kind: 'wait', delayMs: PROOF_PATIENCE_MS - 100 });
    expect(proof.advise(silence, 6_000 + PROOF_PATIENCE_MS).kind).toBe('ask');
  });
});
