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
interface PartitionRow {
  readonly pipeline: string;
  readonly partition: number;
  readonly role: 'owner' | 'standby';
  readonly state: string;
  readonly liveEntries?: number;
  readonly lag?: number;
  readonly clock?: number;
  readonly detail?: string;
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

/** @throws CommandFailure where no processor answers */
export async function runStatus(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const address = await addressOf(flags, shell);
  const [{ body: readiness }, { body: held }] = await Promise.all([
    askProcessor<Readiness>(address, '/readyz'),
    askProcessor<Partitions>(address, '/api/v1/partitions'),
  ]);
  const { ready, reasons, warnings } = readiness;
  const lines = [
    `${held.instance} at ${address} is ${ready ? 'ready' : 'not ready'}: ${counted(held.partitions.length, 'partition')}`,
    ...[...reasons, ...warnings].map((each) => `  ! ${each}`),
    ...partitionLines(held.partitions, shell.clock.wallMs()),
  ];
  console.result({ address, ...readiness, ...held }, lines.join('\n'));
  return ready ? ExitCode.ok : ExitCode.failedCheck;
}

/** @throws CommandFailure where no processor answers */
export async function listPartitions(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { body } = await askProcessor<Partitions>(await addressOf(flags, shell), '/api/v1/partitions');
  console.result(body, partitionLines(body.partitions, shell.clock.wallMs()).join('\n'));
  return ExitCode.ok;
}

function partitionLines(partitions: readonly PartitionRow[], now: number): string[] {
  return columns(
    partitions.map(({ pipeline, partition, role, state, liveEntries, lag, clock = 0, detail = '' }) => [
      `${pipeline}/${partition}`,
      role === 'standby' ? `standby, ${state}` : state,
      liveEntries === undefined ? '' : `${liveEntries} live`,
      lag === undefined ? '' : `lag ${lag}`,
      clock <= 0 ? '' : `clock ${ageText(now - clock)} old`,
      detail,
    ]),
  );
}

function ageText(ms: number): string {
  return ms < 120_000 ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / 60_000)} min`;
}
