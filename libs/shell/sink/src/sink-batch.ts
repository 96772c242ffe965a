// Rows on their way into the database, by partition, with where each partition stands once they are written.
//
// Owns: what was taken and is not written.
// Does not own: the positions in force, which are the database's.
//
// Invariants
//   GT1  A part is written whole or not at all, with its position: nothing lies between `from` and `to` that is not in it.
//   GT2  It is full at BATCH_ROWS_MAX records or BATCH_BYTES_MAX bytes of theirs, whichever comes first.
import type { Row } from './kind-tables.ts';

/** Records, counting those that become no row. */
const BATCH_ROWS_MAX = 20_000;
/** By default. One record more than fits comes whole. */
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Beside key and value: a row's other columns, and what a record without a row costs. */
const EACH_BYTES = 200;

export interface BatchPart {
  readonly partition: number;
  readonly epoch: string;
  /** Where the partition stood before. */
  readonly from: number;
  to: number;
  readonly rows: Row[];
  /** Incarnations that are final: their newest row may be among `rows`, in the table, or in both. */
  readonly ends: string[];
}

interface Growing extends BatchPart {
  readonly newest: Map<string, { readonly row: number }>;
}

export class SinkBatch {
  readonly #parts = new Map<number, Growing>();
  readonly #bytesMax: number;
  #records = 0;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  isFull(): boolean {
    return this.#records >= BATCH_ROWS_MAX || this.#bytes >= this.#bytesMax;
  }

  /** Taken, counting those that become no row. */
  get records(): number {
    return this.#records;
  }

  isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  get parts(): readonly BatchPart[] {
    return [...this.#parts.values()];
  }

  /** Takes the next record of a partition. `from`: where the partition stands, if it is the first. */
  take(at: { readonly partition: number; readonly epoch: string; readonly from: number }, record: Taken): void {
    const part: Growing = this.#parts.get(at.partition) ?? {
      ...at,
      to: at.from,
      rows: [],
      ends: [],
      newest: new Map(),
    };
    this.#parts.set(at.partition, part);
    part.to = record.offset + 1;
    this.#records += 1;
    this.#bytes += EACH_BYTES + record.bytes;
    if (record.row !== undefined) {
      if (record.incarnation !== undefined) part.newest.set(record.incarnation, { row: part.rows.length });
      part.rows.push(record.row);
    } else if (record.incarnation !== undefined) endIn(part, record.incarnation);
  }
}

export interface Taken {
  readonly offset: number;
  /** Key and value. */
  readonly bytes: number;
  /** undefined: it becomes none. */
  readonly row: Row | undefined;
  /** The incarnation that a row revises, or that a record without a row ends. */
  readonly incarnation: string | undefined;
}

function endIn({ newest, rows, ends }: Growing, incarnation: string): void {
  const found = newest.get(incarnation);
  // Always: a row that the table has already is not taken from `rows`, and would never become final.
  ends.push(incarnation);
  if (found !== undefined) rows[found.row] = { ...rows[found.row]!, final: true };
}
