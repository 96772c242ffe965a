// The digest of the live state (R1): the sum, modulo 2³², of a hash of every live entry's key, head and pages. Order does not
// matter, and what has changed is taken out and added without looking at the rest.
import { hashView } from '@flatline/base';

/** Digests must agree between processes: these are constants of the format. */
const DIGEST_SEED = 0x666c6174;
/** The golden ratio: neighbours among slots get seeds far from each other. */
const SLOT_FACTOR = 0x9e3779b1;

const KEY = 0;
const HEAD = 1;
const FIRST_PAGE = 2;

const seedOf = (slot: number, part: number): number => (DIGEST_SEED + Math.imul(slot, SLOT_FACTOR) + part) | 0;

export function keyDigest(slot: number, view: DataView, start: number, length: number): number {
  return hashView(view, start, length, seedOf(slot, KEY));
}

export function headDigest(slot: number, view: DataView, start: number, length: number): number {
  return hashView(view, start, length, seedOf(slot, HEAD));
}

export function pageDigest(slot: number, page: number, view: DataView, start: number, length: number): number {
  return hashView(view, start, length, seedOf(slot, FIRST_PAGE + page));
}
