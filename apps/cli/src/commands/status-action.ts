import { counted } from '@flatline/base';
import { ExitCode } from '../exit-code.ts';
import { addressOf, type AddressFlags, askProcessor } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import { columns } from '../terminal/columns.ts';
import type { Console } from '../terminal/console.ts';

export interface StatusFlags extends AddressFlags {
  readonly json?: boolean;
}

/** As much of a row of `/api/v1/partitions` as is shown. */
export interface PartitionRow {
  readonly pipeline: string;
  readonly partition: number;
  readonly role: 'owner' | 'standby';
  readonly state: string;
  readonly liveEntries?: number;
  readonly lag?: number;
  readonly clock?: number;
  readonly position?: number;
  readonly detail?: string;
  /** Records of the input that its owner has read a second since the look before, if there was one. */
  readonly readPerSecond?: number;
}

interface Partitions {
  readonly instance: string;
  readonly partitions: readonly PartitionRow[];
}

interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** A processor as it answered once. */
export interface Seen extends Readiness, Partitions {
  readonly address: string;
}

/** @throws CommandFailure where no processor answers */
export async function runStatus(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const seen = await lookAt(await addressOf(flags, shell));
  console.result(seen, seenLines(seen, shell.clock.wallMs()).join('\n'));
  return seen.ready ? ExitCode.ok : ExitCode.failedCheck;
}

/** @throws CommandFailure where no processor answers */
export async function lookAt(address: string): Promise<Seen> {
  const [{ body: readiness }, { body: held }] = await Promise.all([
    askProcessor<Readiness>(address, '/readyz'),
    askProcessor<Partitions>(address, '/api/v1/partitions'),
  ]);
  return { address, ...readiness, ...held };
}

export function seenLines({ address, instance, ready, reasons, warnings, partitions }: Seen, now: number): string[] {
  return [
    `${instance} at ${address} is ${ready ? 'ready' : 'not ready'}: ${counted(partitions.length, 'partition')}`,
    ...[...reasons, ...warnings].map((each) => `  ! ${each}`),
    ...partitionLines(partitions, now),
  ];
}

/** @throws CommandFailure where no processor answers */
export async function listPartitions(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { body } = await askProcessor<Partitions>(await addressOf(flags, shell), '/api/v1/partitions');
  console.result(body, partitionLines(body.partitions, shell.clock.wallMs()).join('\n'));
  return ExitCode.ok;
}

function partitionLines(partitions: readonly PartitionRow[], now: number): string[] {
  const isRated = partitions.some(({ readPerSecond }) => readPerSecond !== undefined);
  return columns(
    partitions.map(({ pipeline, partition, role, state, liveEntries, lag, clock = 0, readPerSecond, detail = '' }) => [
      `${pipeline}/${partition}`,
      role === 'standby' ? `standby, ${state}` : state,
      liveEntries === undefined ? '' : `${liveEntries} live`,
      lag === undefined ? '' : `lag ${lag}`,
      ...(isRated ? [readPerSecond === undefined ? '' : `${readPerSecond}/s`] : []),
      clock <= 0 ? '' : `clock ${ageText(now - clock)} old`,
      detail,
    ]),
  );
}

function ageText(ms: number): string {
  return ms < 120_000 ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / 60_000)} min`;
}
