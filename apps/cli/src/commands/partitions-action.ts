import { counted } from '@flatline/base';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { addressOf, type AddressFlags, type ProcessorAddress } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';

export interface PartitionName {
  readonly pipeline: string;
  readonly partition: number;
}

export interface RestartFlags extends AddressFlags {
  readonly names: readonly PartitionName[];
  readonly all?: boolean;
  readonly json?: boolean;
}

/** As the processor answers. */
type Outcome = 'restarted' | 'notStopped' | 'absent';

const SAID: Readonly<Record<Outcome, string>> = {
  restarted: 'tries again',
  notStopped: 'has not stopped',
  absent: 'is not on this instance',
};

/** @throws CommandFailure where no processor answers, or nothing is named */
export async function runRestart(flags: RestartFlags, console: Console, shell: Shell): Promise<ExitCode> {
  if ((flags.names.length === 0) === (flags.all !== true)) throw usageFailure('name partitions, or give --all');
  const address = await addressOf(flags, shell);
  const names = flags.all === true ? await stoppedAt(address) : flags.names;
  const done: (PartitionName & { readonly outcome: Outcome })[] = [];
  for (const { pipeline, partition } of names) {
    const path = `/api/v1/partitions/${pipeline}/${partition}/restart`;
    const { outcome } = await address.read<{ readonly outcome: Outcome }>(path, 'outcome', 'POST');
    done.push({ pipeline, partition, outcome });
  }
  const lines = done.map(({ pipeline, partition, outcome }) => `${pipeline}/${partition} ${SAID[outcome]}`);
  console.result(
    { address: address.url, partitions: done },
    [...lines, ...(lines.length === 0 ? ['No partition has stopped.'] : [])].join('\n'),
  );
  const others = done.filter(({ outcome }) => outcome !== 'restarted');
  if (others.length > 0) console.note(`${counted(others.length, 'partition')} could not be restarted`);
  return others.length === 0 ? ExitCode.ok : ExitCode.failedCheck;
}

async function stoppedAt(address: ProcessorAddress): Promise<PartitionName[]> {
  const { partitions } = await address.read<{
    readonly partitions: readonly (PartitionName & { readonly role: string; readonly state: string })[];
  }>('/api/v1/partitions', 'partitions');
  return partitions.filter(({ role, state }) => role === 'owner' && state === 'stopped');
}
