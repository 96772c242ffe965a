// The pipeline of a running processor that a command is about.
import { pipelinesIn, whyNotListed } from '@flatline/client/parts';
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
  const said = await address.read<{ readonly pipelines: unknown }>('/api/v1/pipelines', 'pipelines');
  const starting = whyNotListed(said);
  if (starting !== undefined)
    throw new CommandFailure(
      ExitCode.unreachable,
      `the processor at ${address.url} does not say yet which pipelines it has: ${starting}. --pipeline says which`,
    );
  const [first, ...others] = pipelinesIn(said);
  if (others.length === 0) return first!;
  throw usageFailure(`--pipeline says which: the processor at ${address.url} has ${[first, ...others].join(', ')}`);
}
