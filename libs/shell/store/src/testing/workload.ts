// A seeded series of writes, the same in every process: what a store holds after write n is a function of seed and n.
import { seededRandom } from '@flatline/base';
import {
  type RowPlace,
  rowsIn,
  type StateStore,
  type StoreChanges,
  type StoreCheckpoint,
  type StoredRow,
  type StoreState,
} from '@flatline/ports';

export interface WorkloadStep {
  readonly changes: StoreChanges;
  readonly checkpoint: StoreCheckpoint | undefined;
}

/** Written with every step: its row has the step as its sequence. */
export const STEP_SLOT = 0;

const keyLengths = [0, 1, 9, 511, 512, 4096];

export function workloadStep(seed: number, step: number): WorkloadStep {
  const random = seededRandom(seed * 65_536 + step);
  const key = (): Uint8Array => {
    const name = Buffer.from(String(random.below(300)));
    const length = keyLengths[random.below(keyLengths.length)]!;
    return length < name.length ? name : Buffer.concat([Buffer.alloc(length - name.length, 'p'), name]);
  };
  const image = (): Uint8Array => Buffer.alloc(random.below(8) === 0 ? random.below(9000) : random.below(80), step);
  // Cubes: slots that differ in each of their bytes.
  const touched = new Set(Array.from({ length: random.below(250) }, () => (1 + random.below(299)) ** 3));
  const puts = [placeOf({ slot: STEP_SLOT, sequence: step, key: key(), image: image(), changelogOffset: step })];
  const removals: number[] = [];
  for (const slot of [...touched].sort((a, b) => a - b)) {
    if (random.chance(0.2)) removals.push(slot);
    else puts.push(placeOf({ slot, sequence: step, key: key(), image: image(), changelogOffset: 2 * step }));
  }
  const checkpoint = random.chance(0.3)
    ? { logId: 'log', changelogPosition: step, commitHeader: image(), liveEntries: step, digest: -step }
    : undefined;
  return { changes: { puts, removals }, checkpoint };
}

/** The naive store: what it holds, comparable by value. */
export class Model {
  readonly rows = new Map<number, string>();
  state: StoreState | undefined;

  apply({ changes, checkpoint }: WorkloadStep): void {
    for (const slot of changes.removals) this.rows.delete(slot);
    for (const place of changes.puts) this.rows.set(place.slot, valueOf(rowAt(place)));
    if (checkpoint !== undefined) this.state = { checkpoint };
  }
}

/** By slot, what the store scans, comparable by value. */
export function rowsOf(store: StateStore): Map<number, string> {
  const rows = new Map<number, string>();
  let last = -1;
  for (const row of rowsIn(store.scan())) {
    if (row.slot <= last) throw new Error(`slot ${row.slot} comes after ${last}`);
    last = row.slot;
    rows.set(row.slot, valueOf(row));
  }
  return rows;
}

/** As a flush hands it over: among other bytes. */
export function placeOf({ key, image, ...row }: StoredRow): RowPlace {
  const before = Buffer.from('before');
  const bytes = Buffer.concat([before, key, image, before]);
  const keyStart = before.length;
  const imageStart = keyStart + key.length;
  return { ...row, bytes, keyStart, keyLength: key.length, imageStart, imageLength: image.length };
}

function rowAt({ bytes, keyStart, keyLength, imageStart, imageLength, ...row }: RowPlace): StoredRow {
  const key = bytes.subarray(keyStart, keyStart + keyLength);
  return { ...row, key, image: bytes.subarray(imageStart, imageStart + imageLength) };
}

export function valueOf({ sequence, changelogOffset, key, image }: StoredRow): string {
  return `${sequence} ${changelogOffset} ${hex(key)} ${hex(image)}`;
}

/** The sequence in what `valueOf` gives. */
export function sequenceIn(value: string): number {
  return Number(value.split(' ')[0]);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
