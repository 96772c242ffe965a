// Where to begin with the outputs of a key, so that those from before one looks are heard, too: cursors of the push (docs/PUSH.md),
// moved back from that of the snapshot.

/** TAG.PARTITIONS.PARTITION.OFFSET: of one partition. */
const FORM = /^([0-9a-f]{8}\.\d+\.\d+\.)([0-9a-z]+)$/;
const RADIX = 36;
/** Offsets of the output partition that are searched. */
export const LOOKED_THROUGH = 10_000;
/** Fewer where so many are not kept, and at last none. */
const BACK = [LOOKED_THROUGH, 1_000, 100, 0];

/** In the order in which they are tried. Empty: `snapshot` is no cursor of one partition. */
export function placesToBegin(snapshot: string): readonly string[] {
  const [, place, said] = FORM.exec(snapshot) ?? [];
  if (said === undefined) return [];
  const offset = Number.parseInt(said, RADIX);
  return [...new Set(BACK.map((back) => `${place!}${Math.max(0, offset - back).toString(RADIX)}`))];
}
