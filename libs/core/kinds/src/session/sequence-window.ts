// Which sequence numbers of one session have been seen: an anti-replay window of 64 (RFC 4303, section 3.4.3), with the
// sums that tell loss (S5, S6).
//
// Owns: the window, the sums.
// Does not own: what a duplicate means (apply-event.ts).
//
// Invariants
//   SW1  Bit i of the window (low word first) tells whether `highest − i` was seen; bit 0 is set.
//   SW2  received ≤ highest − lowest + 1: what is missing of this series is never negative.
//   SW3  Every number fits its place in an entry's memory, whatever a producer sends: sums stop at the greatest they can hold.
import { COUNT_MAX, MISSING_MAX, RESTARTS_MAX } from './counts.ts';

export interface SequenceWindow {
  lowest: number;
  highest: number;
  /** Bits 0–31 and 32–63 of the window, as unsigned 32-bit integers. */
  seenLow: number;
  seenHigh: number;
  /** Distinct sequences of the present series, above `lowest`. */
  received: number;
  /** Missing in series that ended by a restart. */
  missingBefore: number;
  restarts: number;
}

export type SequenceVerdict = 'new' | 'outOfOrder' | 'duplicate' | 'restart';

export const WINDOW_WIDTH = 64;

export function openWindow(sequence: number): SequenceWindow {
  return {
    lowest: sequence,
    highest: sequence,
    seenLow: 1,
    seenHigh: 0,
    received: 1,
    missingBefore: 0,
    restarts: 0,
  };
}

/** Notes `sequence`; `restartMarked` where the event says that a new series begins (STARTED). */
export function noteSequence(window: SequenceWindow, sequence: number, restartMarked: boolean): SequenceVerdict {
  const behind = window.highest - sequence;
  if (behind >= WINDOW_WIDTH || (restartMarked && behind > 0)) return restart(window, sequence);
  if (behind < 0) return advance(window, -behind, sequence);
  if (isSeen(window, behind)) return 'duplicate';
  markSeen(window, behind);
  window.lowest = Math.min(window.lowest, sequence);
  countReceived(window);
  return 'outOfOrder';
}

/** True if `noteSequence` would call it a duplicate. Changes nothing. */
export function wasReceived(window: SequenceWindow, sequence: number, restartMarked: boolean): boolean {
  const behind = window.highest - sequence;
  if (behind < 0 || behind >= WINDOW_WIDTH || (restartMarked && behind > 0)) return false;
  return isSeen(window, behind);
}

/** How many sequences between the first and the last of each series never came. */
export function missingCount(window: SequenceWindow): number {
  return Math.min(window.missingBefore + (window.highest - window.lowest + 1 - window.received), MISSING_MAX);
}

function restart(window: SequenceWindow, sequence: number): SequenceVerdict {
  const missing = missingCount(window);
  const restarts = Math.min(window.restarts + 1, RESTARTS_MAX);
  Object.assign(window, openWindow(sequence), { missingBefore: missing, restarts });
  return 'restart';
}

function advance(window: SequenceWindow, by: number, sequence: number): SequenceVerdict {
  shift(window, by);
  window.highest = sequence;
  countReceived(window);
  return 'new';
}

/** Where the count is full, the series is taken to begin one later: what is missing is the same. */
function countReceived(window: SequenceWindow): void {
  if (window.received < COUNT_MAX) window.received += 1;
  else window.lowest += 1;
}

function shift(window: SequenceWindow, by: number): void {
  if (by >= WINDOW_WIDTH) {
    window.seenHigh = 0;
    window.seenLow = 1;
  } else if (by >= 32) {
    window.seenHigh = by === 32 ? window.seenLow : (window.seenLow << (by - 32)) >>> 0;
    window.seenLow = 1;
  } else {
    window.seenHigh = ((window.seenHigh << by) | (window.seenLow >>> (32 - by))) >>> 0;
    window.seenLow = ((window.seenLow << by) | 1) >>> 0;
  }
}

function isSeen(window: SequenceWindow, behind: number): boolean {
  const word = behind < 32 ? window.seenLow : window.seenHigh;
  return ((word >>> (behind & 31)) & 1) === 1;
}

function markSeen(window: SequenceWindow, behind: number): void {
  const bit = 1 << (behind & 31);
  if (behind < 32) window.seenLow = (window.seenLow | bit) >>> 0;
  else window.seenHigh = (window.seenHigh | bit) >>> 0;
}
