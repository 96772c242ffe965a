// The pipeline of a running processor that a command is about.
import { usageFailure } from '../failure.ts';
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

async function onlyPipeline(address: ProcessorAddress): Promise<string> {
  const { body } = await address.ask<{ readonly pipelines: readonly { readonly name: string }[] }>('/api/v1/pipelines');
  const [first, ...others] = body.pipelines.map(({ name }) => name);
  if (first !== undefined && others.length === 0) return first;
  const names = [first, ...others].join(', ') || 'none yet';
  throw usageFailure(`--pipeline says which: the processor at ${address.url} has ${names}`);
}
