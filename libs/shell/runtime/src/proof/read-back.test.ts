import { describe, expect, test } from '@jest/globals';
import { PROOF_PATIENCE_MS } from '../limits.ts';
import { ReadBack } from './read-back.ts';

const nothing = { alarm: false, doubt: false, againInMs: undefined };

describe('[X5][F23b] a proof of silence that is not read back', () => {
  test('is waited for, then logged once, and its leader doubted again and again until it is read', () => {
    const readBack = new ReadBack();
    expect(readBack.note(undefined, false, 0)).toEqual(nothing);
    expect(readBack.note(1_000, false, 1_000)).toEqual({ alarm: false, doubt: false, againInMs: PROOF_PATIENCE_MS });
    expect(readBack.note(1_000, false, 999 + PROOF_PATIENCE_MS)).toEqual({ alarm: false, doubt: false, againInMs: 1 });
    expect(readBack.isOverdue).toBe(false);
    const dueAt = 1_000 + PROOF_PATIENCE_MS;
    expect(readBack.note(1_000, false, dueAt)).toEqual({ alarm: true, doubt: true, againInMs: PROOF_PATIENCE_MS });
    expect(readBack.isOverdue).toBe(true);
    expect(readBack.note(1_000, false, dueAt + 1)).toMatchObject({ alarm: false, doubt: false });
    expect(readBack.note(1_000, false, dueAt + PROOF_PATIENCE_MS)).toMatchObject({ alarm: false, doubt: true });
    expect(readBack.note(undefined, false, dueAt + PROOF_PATIENCE_MS)).toEqual(nothing);
    expect(readBack.isOverdue).toBe(false);
  });

  test('starts over for each proof', () => {
    const readBack = new ReadBack();
    readBack.note(0, false, PROOF_PATIENCE_MS);
    readBack.note(undefined, false, PROOF_PATIENCE_MS + 1);
    expect(readBack.note(100_000, false, 100_000 + PROOF_PATIENCE_MS)).toMatchObject({ alarm: true, doubt: true });
  });

  test('[F10] behind an open transaction is no alarm, and the leader that shows one is doubted all the same', () => {
    const readBack = new ReadBack();
    expect(readBack.note(0, true, PROOF_PATIENCE_MS)).toMatchObject({ alarm: false, doubt: true });
    expect(readBack.isOverdue).toBe(false);
    expect(readBack.note(0, false, 2 * PROOF_PATIENCE_MS)).toMatchObject({ alarm: true, doubt: true });
    readBack.note(0, true, 3 * PROOF_PATIENCE_MS);
    expect(readBack.isOverdue).toBe(false);
  });
});
