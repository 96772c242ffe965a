// Shows what a running processor does, look after look.
//
// Owns: the last look.
// Does not own: how a processor is asked and its partitions are shown (status-action.ts).
import type { DurationMs } from '@flatline/base';
import { pause } from '@flatline/system';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { unlessStopped } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import { lookAt, type Seen } from './application-look.ts';
import type { PartitionRow } from './partition-rows.ts';
import { addressesOf, type ProcessorAddress } from '../processor-address.ts';
import { type ApplicationFlags, seenLines, shownJson } from './status-action.ts';

const INTERVAL_MS: DurationMs = 2_000;

export interface TopFlags extends ApplicationFlags {
  readonly interval?: DurationMs;
  /** undefined: until it is stopped. */
  readonly count?: number;
}

interface Look extends Seen {
  readonly atMs: DurationMs;
}

/** @throws CommandFailure where no processor answers at the first look; later it is waited for, and said */
export async function runTop(flags: TopFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { clock, stop } = shell;
  const addresses = await addressesOf(flags, shell);
  let former: Look | undefined;
  for (let left = flags.count ?? Infinity; left > 0 && !stop.signal.aborted; left -= 1) {
    const seen = await unlessStopped(lookAgain(addresses, former), stop);
    if (seen === undefined) break;
    if (typeof seen === 'string') show(console, { gone: seen }, [`! ${seen}; looking again`]);
    else {
      const look = { ...seen, atMs: clock.monotonicMs() };
      const shown = { ...seen, partitions: busiestFirst(look, former) };
      show(console, shownJson(shown), seenLines(shown, clock.wallMs()));
      former = look;
    }
    if (left > 1) await pause(clock, flags.interval ?? INTERVAL_MS, stop.signal);
  }
  console.endRegion('keep');
  return ExitCode.ok;
}

/** Why nothing answers any more, where something did before: it may be restarting. The others that were found are asked then. */
async function lookAgain(addresses: readonly ProcessorAddress[], former: Look | undefined): Promise<Seen | string> {
  try {
    return await lookAt(addresses);
  } catch (error) {
    if (former === undefined || !isGone(error)) throw error;
    const known = addresses.map(({ url }) => url);
    const others = former.instances
      .filter(({ address }) => !known.includes(address))
      .map(({ address }) => addresses[0]!.other(address));
    if (others.length === 0) return error.message;
    return lookAt(others).catch(() => error.message);
  }
}

function isGone(error: unknown): error is CommandFailure {
  return error instanceof CommandFailure && error.exitCode === ExitCode.unreachable;
}

function show(console: Console, value: object, lines: readonly string[]): void {
  if (console.live) console.draw(lines.slice(0, Math.max(1, console.rows - 1)).join('\n'));
  else console.result(value, lines.join('\n'));
}

/** The same rows with what their owner has read a second since then, the most first, then those farthest behind. */
export function busiestFirst(
  { partitions, atMs }: Pick<Look, 'partitions' | 'atMs'>,
  former: Pick<Look, 'partitions' | 'atMs'> | undefined,
): PartitionRow[] {
  const rows = partitions.map((row) => {
    const before = former?.partitions.find((each) => nameOf(each) === nameOf(row));
    if (row.role !== 'owner' || former === undefined || before === undefined) return row;
    // Below: the partition began again, in another process or after a stop.
    const read = Math.max(0, (row.position ?? 0) - (before.position ?? 0));
    return { ...row, readPerSecond: Math.round((1_000 * read) / Math.max(1, atMs - former.atMs)) };
  });
  return rows.sort((a, b) => (b.readPerSecond ?? 0) - (a.readPerSecond ?? 0) || (b.lag ?? 0) - (a.lag ?? 0));
}

function nameOf({ pipeline, partition, role }: PartitionRow): string {
  return `${role} ${pipeline}/${partition}`;
}
