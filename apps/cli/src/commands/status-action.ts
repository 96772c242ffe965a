import { counted } from '@flatline/base';
import { ExitCode } from '../exit-code.ts';
import { addressesOf, type AddressesFlags, addressOf, type AddressFlags } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { lookAt, type Seen, type SeenInstance } from './application-look.ts';
import { heldText, inOrder, partitionLines, type PartitionRow } from './partition-rows.ts';

export interface StatusFlags extends AddressFlags {
  readonly json?: boolean;
}

/** Flags of a command that shows all instances at once. */
export interface ApplicationFlags extends AddressesFlags {
  readonly json?: boolean;
}

/** @throws CommandFailure where no processor answers */
export async function runStatus(flags: ApplicationFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const seen = await lookAt(await addressesOf(flags, shell));
  console.result(shownJson(seen), seenLines(seen, shell.clock.wallMs()).join('\n'));
  return seen.instances.every(({ ready }) => ready) ? ExitCode.ok : ExitCode.failedCheck;
}

/** The report of all as of one instance, and the report of each. */
export function shownJson(seen: Seen): object {
  const [{ instance, address } = { instance: '', address: '' }] = seen.instances;
  const said = (of: (each: SeenInstance) => readonly string[]): readonly string[] =>
    seen.instances.flatMap((each) =>
      of(each).map((text) => (seen.instances.length === 1 ? text : `${each.instance}: ${text}`)),
    );
  return {
    address,
    instance,
    ready: seen.instances.every(({ ready }) => ready),
    reasons: said(({ reasons }) => reasons),
    warnings: said(({ warnings }) => warnings),
    ...seen,
  };
}

export function seenLines({ instances, unseen, partitions }: Seen, now: number): string[] {
  const isAlone = instances.length === 1;
  const all = instances.length + unseen.length;
  return [
    ...(all === 1 ? [] : [`${instances.length} of ${counted(all, 'instance')}: ${heldText(partitions)}`]),
    ...instances.flatMap(({ instance, address, ready, reasons, warnings }) => [
      `${instance} at ${address} is ${ready ? 'ready' : 'not ready'}: ` +
        heldText(isAlone ? partitions : partitions.filter((row) => row.instance === instance)),
      ...[...reasons, ...warnings].map((each) => `  ! ${each}`),
    ]),
    ...unseen.map(({ instance, address, why }) => {
      const where = [instance, address].filter((part) => part !== '').join(' at ');
      return `  ! ${where} is not shown: ${why}`;
    }),
    ...partitionLines(partitions, now),
  ];
}

/** @throws CommandFailure where no processor answers */
export async function listPartitions(flags: StatusFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const address = await addressOf(flags, shell);
  const body = await address.read<{ readonly instance: string; readonly partitions: readonly PartitionRow[] }>(
    '/api/v1/partitions',
    'partitions',
  );
  console.result(body, partitionLines(inOrder(body.partitions), shell.clock.wallMs()).join('\n'));
  return ExitCode.ok;
}
