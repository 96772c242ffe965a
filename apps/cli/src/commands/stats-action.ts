// Reads the statistics of a pipeline's sessions and shows them.
import type { DurationMs } from '@flatline/base';
import { KafkaLogAdmin, KafkaLogReader } from '@flatline/kafka';
import { statsTopicOf, WINDOW_MS, type WindowName } from '@flatline/kind-modules';
import { StatsReader } from '@flatline/records/stats';
import { connect, kafkaOf, registryOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import { committedRecords } from '../statistics/committed-records.ts';
import { NeededStats, windowOfKey } from '../statistics/needed-stats.ts';
import { statsTable, statsValue } from '../statistics/stats-table.ts';
import { sparkline, type WindowSum, WindowSums } from '../statistics/window-sums.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';

export interface StatsFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly window?: string;
  readonly last: number;
  readonly where?: ReadonlyMap<string, string>;
  readonly json?: boolean;
}

/** A window is said after it: windows are looked for from so many lengths before the oldest that is asked for. */
const EARLIER_WINDOWS = 2;

export async function runStats(flags: StatsFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka', 'schemaRegistry']);
  const pipeline = pipelineOfKind(config, 'session', flags.pipeline);
  const { stats } = pipeline.rules;
  if (stats === undefined)
    throw usageFailure(`pipeline ${pipeline.name} has no statistics: give it "stats": {} and start it again`);
  const windowMs = windowOf(flags.window, stats.windows);
  const names = stats.dimensions.map(({ name }) => name);
  for (const name of flags.where?.keys() ?? [])
    if (!names.includes(name)) throw usageFailure(`--where ${name}: the dimensions are ${names.join(', ') || 'none'}`);
  const { clock, stop } = shell;
  const kafka = kafkaOf(config, clock);
  const connection = await connect(kafka, stop);
  const reader = new KafkaLogReader(kafka);
  const lengths = { windowMs, longestMs: stats.windows.at(-1)! };
  const sums = new WindowSums({ ...lengths, dimensions: names, where: flags.where ?? new Map() });
  let unread = 0;
  try {
    const { topic, partitions } = await requireTopic(connection, clock, statsTopicOf(pipeline.output.topic));
    const admin = new KafkaLogAdmin({ clock, connection });
    const formats = new StatsReader(registryOf(config, clock));
    const since = Math.max(0, clock.wallMs() - (flags.last + EARLIER_WINDOWS) * windowMs);
    const add = async (values: readonly Uint8Array[], isShown: boolean): Promise<void> => {
      for (const value of values) {
        const said = await formats.read(value);
        if (said === undefined) unread += 1;
        else if (!isShown) sums.addBefore(said);
        else if (!sums.add(said)) unread += 1;
      }
    };
    for (let partition = 0; partition < partitions; partition += 1) {
      const of = { topic, partition };
      const shownFrom = (await admin.offsetAt(of, since)) ?? Infinity;
      const before = new NeededStats<Uint8Array>(lengths);
      // From the beginning: what is active may have been said then for the last time.
      for await (const { offset, key, value } of committedRecords({
        admin,
        reader,
        partition: of,
        signal: stop.signal,
      })) {
        const window = windowOfKey(key);
        const isShown = offset >= shownFrom;
        if (window === undefined) unread += 1;
        else await add(isShown ? [value] : before.take(window, value), isShown);
      }
      await add(before.rest(), false);
      if (stop.signal.aborted) return ExitCode.interrupted;
    }
  } finally {
    await reader.close();
    connection.close();
  }
  show(sums.last(flags.last), flags.last, console);
  if (unread > 0) console.note(`${unread} records could not be read.`);
  return ExitCode.ok;
}

function show(windows: readonly WindowSum[], last: number, console: Console): void {
  const table = statsTable(console.width);
  console.heading(table.heading);
  for (const window of windows) console.result(statsValue(window), table.line(window));
  if (windows.length === 0) {
    console.note(`Nothing was counted in the last ${last} windows that are over; a greater --last looks further back.`);
    return;
  }
  console.note(`opened  ${sparkline(windows.map(({ opened }) => opened))}`);
  console.note(`closed  ${sparkline(windows.map(({ closed }) => closed))}`);
  console.note(`active  ${sparkline(windows.map(({ active }) => active))}`);
}

function windowOf(asked: string | undefined, windows: readonly DurationMs[]): DurationMs {
  if (asked === undefined) return windows[0]!;
  const ms = asked in WINDOW_MS ? WINDOW_MS[asked as WindowName] : undefined;
  if (ms !== undefined && windows.includes(ms)) return ms;
  const known = Object.entries(WINDOW_MS).flatMap(([name, length]) => (windows.includes(length) ? [name] : []));
  throw usageFailure(`--window ${asked}: the configuration has ${known.join(', ')}`);
}
