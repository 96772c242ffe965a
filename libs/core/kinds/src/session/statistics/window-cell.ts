// Counts of one window, for the sessions with the same values of all dimensions (S12).
import { type ByteReader, type ByteWriter, type DurationMs, MalformedBytes } from '@flatline/base';
import type { CloseReason } from '@flatline/ports/formats';
import { DurationSketch } from './duration-sketch.ts';
import { type SketchForm, sketchFormOf } from './sketch-bytes.ts';

/** In the order of docs/FORMATS.md. */
const REASONS: readonly CloseReason[] = ['TIMEOUT', 'ENDED', 'MAX_DURATION', 'EVICTED'];
/** A sum stops here, as counts do (S6). */
const SUM_MAX = Number.MAX_SAFE_INTEGER;

export class WindowCell {
  opened = 0;
  readonly byReason: Record<CloseReason, number> = { TIMEOUT: 0, ENDED: 0, MAX_DURATION: 0, EVICTED: 0 };
  sumMs: DurationMs = 0;
  /** Infinity and −1 where none has closed. */
  minMs: DurationMs = Infinity;
  maxMs: DurationMs = -1;
  sketch = new DurationSketch();

  get closed(): number {
    return REASONS.reduce((sum, reason) => sum + this.byReason[reason], 0);
  }

  close(reason: CloseReason, durationMs: DurationMs): void {
    this.byReason[reason] += 1;
    this.sumMs = Math.min(SUM_MAX, this.sumMs + durationMs);
    this.minMs = Math.min(this.minMs, durationMs);
    this.maxMs = Math.max(this.maxMs, durationMs);
    this.sketch.add(durationMs);
  }

  /** Returns how its sketch is written; undefined: it has none. */
  write(out: ByteWriter, form: SketchForm): SketchForm | undefined {
    out.varint(this.opened);
    for (const reason of REASONS) out.varint(this.byReason[reason]);
    if (this.closed === 0) return undefined;
    for (const ms of [this.sumMs, this.minMs, this.maxMs]) out.varint(ms);
    const sketch = this.sketch.encode(form);
    out.block(sketch);
    return sketchFormOf(sketch);
  }

  /** @throws MalformedBytes */
  static read(input: ByteReader): WindowCell {
    const cell = new WindowCell();
    cell.opened = input.varint();
    for (const reason of REASONS) cell.byReason[reason] = input.varint();
    if (cell.closed === 0) return cell;
    cell.sumMs = input.varint();
    cell.minMs = input.varint();
    cell.maxMs = input.varint();
    cell.sketch = DurationSketch.decode(input.block());
    if (cell.sketch.count !== cell.closed)
      throw new MalformedBytes('a sketch of other sessions than those that closed');
    return cell;
  }
}
