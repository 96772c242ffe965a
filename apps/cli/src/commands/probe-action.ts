// Asks the instances of an application how far the probes of their partitions get (Q5).
//
// An instance that stands still holds its port and does not answer: none is waited for longer than ANSWER_WITHIN_MS.
import { type DurationMs, messageOf } from '@flatline/base';
import type { ProbeRow } from '@flatline/processor';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { addressesOf, type ProcessorAddress } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import { columns } from '../terminal/columns.ts';
import type { Console } from '../terminal/console.ts';
import type { ApplicationFlags } from './status-action.ts';

const ANSWER_WITHIN_MS: DurationMs = 2_000;
const WITHIN = { withinMs: ANSWER_WITHIN_MS };
/** Addresses that are asked beside those that are given. */
const OTHERS_MAX = 64;

interface Unanswered {
  readonly address: string;
  readonly why: string;
}

interface Answered {
  readonly probes: readonly ProbeRow[];
  /** Addresses of the members of its groups. */
  readonly members: readonly string[];
}

/** @throws CommandFailure where no processor answers, or none sends probes */
export async function runProbe(flags: ApplicationFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const given = await addressesOf(flags, shell);
  const first = await askAll(given);
  // An address that was given and does not answer at all is the command's failure, as of any other command.
  if (first.answered.length === 0) await askOne(given[0]!);
  const members = new Set(first.answered.flatMap((each) => each.members));
  const urls = [...members].filter((each) => each !== '' && given.every(({ url }) => url !== each));
  const others = await askAll(urls.slice(0, OTHERS_MAX).map((url) => given[0]!.other(url)));
  const unanswered = [...first.unanswered, ...others.unanswered];
  const probes = distinct([...first.answered, ...others.answered].flatMap((each) => each.probes));
  if (probes.length === 0 && unanswered.length === 0)
    throw usageFailure('no probes are sent there: set probeIntervalMs, for example to "1s", in all instances');
  const unsound = probes.filter(({ state }) => state === 'stuck' || state === 'silent');
  console.result(
    { sound: unsound.length + unanswered.length === 0, probes, unanswered },
    [
      ...columns(probes.map(lineOf)),
      ...unanswered.map(({ address, why }) => `! ${address} does not answer: ${why}`),
    ].join('\n'),
  );
  return unsound.length + unanswered.length === 0 ? ExitCode.ok : ExitCode.failedCheck;
}

async function askAll(
  addresses: readonly ProcessorAddress[],
): Promise<{ readonly answered: readonly Answered[]; readonly unanswered: readonly Unanswered[] }> {
  const asked = await Promise.allSettled(addresses.map(askOne));
  return {
    answered: asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    unanswered: asked.flatMap((each, at) =>
      each.status === 'rejected' ? [{ address: addresses[at]!.url, why: messageOf(each.reason) }] : [],
    ),
  };
}

async function askOne(address: ProcessorAddress): Promise<Answered> {
  const [{ body: said }, kept] = await Promise.all([
    address.ask<{ readonly probes?: readonly ProbeRow[] }>('/api/v1/probes', 'GET', WITHIN),
    address.read<{
      readonly pipelines: readonly { readonly instances: readonly { readonly endpoint: string }[] }[];
    }>('/api/v1/pipelines', 'pipelines', 'GET', WITHIN),
  ]);
  const members = kept.pipelines.flatMap(({ instances }) => instances.map(({ endpoint }) => endpoint));
  return { probes: said.probes ?? [], members };
}

/** Several may look after one, and a supervisor's port may have been given twice. By partition, what is worst first. */
function distinct(rows: readonly ProbeRow[]): readonly ProbeRow[] {
  const rank = { stuck: 0, silent: 1, none: 2, sound: 3 } as const;
  const ordered = rows.toSorted(
    (a, b) => a.pipeline.localeCompare(b.pipeline, 'en') || a.partition - b.partition || rank[a.state] - rank[b.state],
  );
  return [
    ...new Map(ordered.map((row) => [`${row.pipeline}/${row.partition} ${row.owner} ${row.state}`, row])).values(),
  ];
}

function lineOf({ pipeline, partition, owner, state, lastMs, leg, forMs, waitsFor }: ProbeRow): string[] {
  const took = lastMs === null ? '' : `all the way in ${Math.round(lastMs)} ms`;
  const since = forMs === null ? '' : `for ${(forMs / 1_000).toFixed(1)} s`;
  const what = leg === null ? state : `${state} at ${leg}`;
  return [`${pipeline}/${partition}`, owner, what, since === '' ? took : since, waitsFor ?? ''];
}
