import { ExitCode } from '../exit-code.ts';
import { addressOf, type AddressFlags, askProcessor } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { heldText, inOrder, partitionLines, type PartitionRow } from './partition-rows.ts';

export interface StatusFlags extends AddressFlags {
  readonly json?: boolean;
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
  return { address, ...readiness, ...held, partitions: inOrder(held.partitions) };
}

export function seenLines({ address, instance, ready, reasons, warnings, partitions }: Seen, now: number): string[] {
  return [
    `${instance} at ${address} is ${ready ? 'ready' : 'not ready'}: ${heldText(partitions)}`,
    ...[...reasons, ...warnings].map((each) => `  ! ${each}`),
    ...partitionLines(partitions, now),
  ];
}

/** @throws CommandFailure where no processor answers */
export async function listPartitions(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { body } = await askProcessor<Partitions>(await addressOf(flags, shell), '/api/v1/partitions');
  console.result(body, partitionLines(inOrder(body.partitions), shell.clock.wallMs()).join('\n'));
  return ExitCode.ok;
}
