// Shows what a running processor does, look after look.
//
// Owns: the last look.
// Does not own: how a processor is asked (application-look.ts), what a look is as text (status-action.ts, top-view.ts).
import type { DurationMs } from '@flatline/base';
import { pause } from '@flatline/system';
import process from 'node:process';
import { ExitCode } from '../exit-code.ts';
import { CommandFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { eitherStop, requestableStop, type Stop, unlessStopped } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import { onKeys } from '../terminal/keys.ts';
import type { Screen } from '../terminal/screen.ts';
import { FIRST_STATE, ordered, pressed, type TopState } from './top-state.ts';
import { topLines } from './top-view.ts';
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
  const addresses = await addressesOf(flags, shell);
  const screen = console.screen();
  const looks = looking(addresses, flags, shell);
  if (screen === undefined) await printLooks(looks, shell.stop, console, shell);
  else await watchLooks(looks, screen, console, shell);
  return ExitCode.ok;
}

/** A sight, or why there was none, once for each look. */
type Looks = (stop: Stop) => AsyncGenerator<Seen | string, void>;

function looking(addresses: readonly ProcessorAddress[], { count, interval }: TopFlags, { clock }: Shell): Looks {
  return async function* (stop) {
    let former: Look | undefined;
    for (let left = count ?? Infinity; left > 0 && !stop.signal.aborted; left -= 1) {
      const seen = await unlessStopped(lookAgain(addresses, former), stop);
      if (seen === undefined) return;
      if (typeof seen === 'string') yield seen;
      else {
        const look = { ...seen, atMs: clock.monotonicMs() };
        yield { ...seen, partitions: busiestFirst(look, former) };
        former = look;
      }
      if (left > 1) await pause(clock, interval ?? INTERVAL_MS, stop.signal);
    }
  };
}

async function printLooks(looks: Looks, stop: Stop, console: Console, { clock }: Shell): Promise<void> {
  for await (const seen of looks(stop))
    if (typeof seen === 'string') console.result({ gone: seen }, `! ${seen}; looking again`);
    else console.result(shownJson(seen), seenLines(seen, clock.wallMs()).join('\n'));
}

/** By keys, where the input is a terminal, too. */
async function watchLooks(looks: Looks, screen: Screen, console: Console, shell: Shell): Promise<void> {
  const { stop: ending, request } = requestableStop();
  let [state, seen, gone]: [TopState, Seen | undefined, string | undefined] = [FIRST_STATE, undefined, undefined];
  const lines = (): readonly string[] => {
    const { liveColors, columns, rows } = console;
    return topLines({ seen, gone, state, now: shell.clock.wallMs() }, liveColors, { columns, rows });
  };
  const draw = (): void => {
    screen.draw(lines());
  };
  const release = onKeys(shell.stdin ?? process.stdin, (key) => {
    const next = pressed(state, key, ordered(seen?.partitions ?? [], state));
    if (next === undefined) request();
    else {
      state = next;
      draw();
    }
  });
  try {
    for await (const found of looks(eitherStop(shell.stop, ending))) {
      [seen, gone] = typeof found === 'string' ? [seen, found] : [found, undefined];
      draw();
    }
  } finally {
    release();
    // Without the line of keys.
    screen.leave(lines().slice(0, -2));
  }
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
