// A seeded series of writes, the same in every process: what a store holds after write n is a function of seed and n.
import { seededRandom } from '@flatline/base';
import {
  type ImagePlace,
  imagesIn,
  type StateStore,
  type StoreChanges,
  type StoreCheckpoint,
  type StoredImage,
  type StoreState,
} from '@flatline/ports';

export interface WorkloadStep {
  readonly changes: StoreChanges;
  readonly checkpoint: StoreCheckpoint | undefined;
}

/** Written with every step: its image is the step's number. */
export const stepKey = Buffer.from('step');

const keyLengths = [0, 1, 9, 511, 512, 4096];

export function workloadStep(seed: number, step: number): WorkloadStep {
  const random = seededRandom(seed * 65_536 + step);
  const key = (): Uint8Array => {
    const name = Buffer.from(String(random.below(300)));
    const length = keyLengths[random.below(keyLengths.length)]!;
    return length < name.length ? name : Buffer.concat([Buffer.alloc(length - name.length, 'p'), name]);
  };
  const image = (): Uint8Array => Buffer.alloc(random.below(8) === 0 ? random.below(9000) : random.below(80), step);
  const puts = [placeOf({ key: stepKey, image: Buffer.from(String(step)), changelogOffset: step })];
  for (let left = random.below(200); left > 0; left -= 1)
    puts.push(placeOf({ key: key(), image: image(), changelogOffset: step }));
  const removals = Array.from({ length: random.below(50) }, key);
  const checkpoint = random.chance(0.3)
    ? { logId: 'log', changelogPosition: step, commitHeader: image(), liveEntries: step, digest: -step }
    : undefined;
  return { changes: { puts, removals }, checkpoint };
}

/** The naive store: what it holds, comparable by value. */
export class Model {
  readonly entries = new Map<string, string>();
  state: StoreState | undefined;

  apply({ changes, checkpoint }: WorkloadStep): void {
    for (const key of changes.removals) this.entries.delete(hex(key));
    for (const { bytes, keyStart, keyLength, imageStart, imageLength, changelogOffset } of changes.puts)
      this.entries.set(
        hex(bytes.subarray(keyStart, keyStart + keyLength)),
        valueOf({ image: bytes.subarray(imageStart, imageStart + imageLength), changelogOffset }),
      );
    if (checkpoint !== undefined) this.state = { checkpoint, clean: true };
    else if (this.state !== undefined) this.state = { ...this.state, clean: false };
  }
}

export function entriesOf(store: StateStore): Map<string, string> {
  const entries = new Map<string, string>();
  for (const entry of imagesIn(store.scan())) {
    if (entries.has(hex(entry.key))) throw new Error(`key ${hex(entry.key)} comes twice`);
    entries.set(hex(entry.key), valueOf(entry));
  }
  return entries;
}

/** As a block holds it, among other bytes. */
export function placeOf({ key, image, changelogOffset }: StoredImage): ImagePlace {
  const before = Buffer.from('before');
  const bytes = Buffer.concat([before, key, image, before]);
  const keyStart = before.length;
  const imageStart = keyStart + key.length;
  return { bytes, keyStart, keyLength: key.length, imageStart, imageLength: image.length, changelogOffset };
}

export function valueOf(entry: Pick<StoredImage, 'image' | 'changelogOffset'>): string {
  return `${entry.changelogOffset} ${hex(entry.image)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
