// Partitions of a running processor, as a person reads them. Pure.
import { counted } from '@flatline/base';
import { columns } from '../terminal/columns.ts';

/** As much of a row of `/api/v1/partitions` as is shown. */
export interface PartitionRow {
  readonly pipeline: string;
  readonly partition: number;
  readonly role: 'owner' | 'standby';
  /** Which has it, of several that are shown. */
  readonly instance?: string;
  /** Which has it, where several share the work. */
  readonly worker?: number;
  readonly state: string;
  readonly liveEntries?: number;
  readonly lag?: number;
  readonly clock?: number;
  readonly position?: number;
  readonly detail?: string;
  /** Records of the input that its owner has read a second since the look before, if there was one. */
  readonly readPerSecond?: number;
}

/** How many a process has. */
export function heldText(rows: readonly PartitionRow[]): string {
  const standbys = rows.filter(({ role }) => role === 'standby').length;
  const partitions = counted(rows.length - standbys, 'partition');
  return standbys === 0 ? partitions : `${partitions}, ${counted(standbys, 'standby')}`;
}

/** A partition's standby beside it, whichever worker has it. */
export function inOrder(rows: readonly PartitionRow[]): PartitionRow[] {
  const pipelines = [...new Set(rows.map(({ pipeline }) => pipeline))];
  const place = ({ pipeline }: PartitionRow): number => pipelines.indexOf(pipeline);
  return rows.toSorted(
    (a, b) => place(a) - place(b) || a.partition - b.partition || a.role.localeCompare(b.role, 'en'),
  );
}

export function partitionLines(partitions: readonly PartitionRow[], now: number): string[] {
  return columns(
    partitions.map(({ pipeline, partition, role, state, ...row }) => [
      `${pipeline}/${partition}`,
      row.instance ?? '',
      row.worker === undefined ? '' : `worker ${row.worker}`,
      role === 'standby' ? `standby, ${state}` : state,
      row.liveEntries === undefined ? '' : `${row.liveEntries} live`,
      row.lag === undefined ? '' : `lag ${row.lag}`,
      row.readPerSecond === undefined ? '' : `${row.readPerSecond}/s`,
      ageText(row.clock, now),
      row.detail ?? '',
    ]),
  );
}

/** How far behind the present a partition's clock is; empty: it has none. */
export function ageOf(clock: number | undefined, now: number): string {
  if (clock === undefined || clock <= 0) return '';
  const ms = now - clock;
  return ms < 120_000 ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / 60_000)} min`;
}

function ageText(clock: number | undefined, now: number): string {
  const age = ageOf(clock, now);
  return age === '' ? '' : `clock ${age} old`;
}
