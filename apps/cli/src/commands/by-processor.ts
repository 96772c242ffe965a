// The pipeline of a running processor that a command is about.
import { ExitCode } from '../exit-code.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { addressOf, type AddressFlags, type ProcessorAddress } from '../processor-address.ts';
import type { Shell } from '../shell.ts';

export interface ByProcessorFlags extends AddressFlags {
  readonly pipeline?: string;
  readonly json?: boolean;
}

export interface RunningPipeline {
  readonly address: ProcessorAddress;
  /** Prefix of the addresses of its entries. */
  readonly path: string;
}

/** @throws CommandFailure where no processor answers, or it has several pipelines and none is named */
export async function runningPipeline(flags: ByProcessorFlags, shell: Shell): Promise<RunningPipeline> {
  const address = await addressOf(flags, shell);
  const pipeline = flags.pipeline ?? (await onlyPipeline(address));
  return { address, path: `/api/v1/entries/${encodeURIComponent(pipeline)}` };
}

/** The failure where a processor answers, and does not do what it was asked for. */
export function refusedFor(status: number, why: string): CommandFailure {
  return status === 503 ? new CommandFailure(ExitCode.unreachable, why) : usageFailure(why);
}

async function onlyPipeline(address: ProcessorAddress): Promise<string> {
  type Kept = { readonly pipelines: readonly { readonly name: string; readonly deliveriesOf?: string }[] };
  const { pipelines } = await address.read<Kept>('/api/v1/pipelines', 'pipelines');
  // One that keeps another's deliveries is meant only where it is named.
  const own = pipelines.filter(({ deliveriesOf }) => deliveriesOf === undefined);
  const [first, ...others] = own.map(({ name }) => name);
  if (first !== undefined && others.length === 0) return first;
  const names = [first, ...others].join(', ') || 'none yet';
  throw usageFailure(`--pipeline says which: the processor at ${address.url} has ${names}`);
}
