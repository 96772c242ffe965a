// Where outputs begin that came before one looks: a cursor of the push (docs/PUSH.md), moved back.

/** TAG.PARTITIONS.PARTITION.OFFSET: of one partition. */
const FORM = /^([0-9a-f]{8}\.\d+\.\d+\.)([0-9a-z]+)$/;
const RADIX = 36;

/** undefined: nothing lies before it, or it is of several partitions. */
export function earlier(cursor: string, records: number): string | undefined {
  const [, place, said] = FORM.exec(cursor) ?? [];
  const offset = said === undefined ? 0 : Number.parseInt(said, RADIX);
  return offset === 0 ? undefined : `${place!}${Math.max(0, offset - records).toString(RADIX)}`;
}
