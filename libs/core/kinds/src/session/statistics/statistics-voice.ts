// Tells of a window that is over (S12).
import type { SessionStats, SessionStatsEncoder } from '@flatline/ports/formats';
import type { Effects } from '../../contract.ts';
import type { SketchForm } from './sketch-bytes.ts';
import type { WindowCell } from './window-cell.ts';

export interface StatisticsVoice {
  readonly encoder: SessionStatsEncoder;
  readonly topic: string;
}

export interface FinalCell extends Omit<SessionStats, 'opened' | 'closed' | 'byReason' | 'duration'> {
  readonly cell: WindowCell;
}

const utf8 = new TextEncoder();

/** Returns what is said. */
export function sayCell(
  { cell, ...of }: FinalCell,
  { encoder, topic, sketches }: StatisticsVoice & { readonly sketches: SketchForm },
  effects: Effects,
): SessionStats {
  const { opened, closed, byReason, sumMs, minMs, maxMs, sketch } = cell;
  const { windowStart, windowEnd, dimensions } = of;
  const key = utf8.encode(JSON.stringify([windowStart, windowEnd, Object.fromEntries(dimensions)]));
  const duration = {
    count: closed,
    sum: sumMs,
    min: closed === 0 ? undefined : minMs,
    max: closed === 0 ? undefined : maxMs,
    sketch: sketch.encode(sketches),
  };
  const said = { ...of, opened, closed, byReason: new Map(Object.entries(byReason)), duration };
  effects.emit({ topic, key, value: encoder.encode(said) });
  return said;
}
