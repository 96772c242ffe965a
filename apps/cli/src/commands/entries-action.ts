import { count, counted, type KindName, partitionOf } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { KafkaLogScan } from '@flatline/kafka';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { type PartitionState, readPartitionState, type ShownEntry } from '@flatline/processor';
import { randomInt } from 'node:crypto';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { type AsOf, asOfText, asOfValue } from '../entries/as-of.ts';
import { entryDetails, entryTable, entryValue } from '../entries/entry-text.ts';
import { KeyPage } from '../entries/key-page.ts';
import { keyBytes } from '../entries/key-bytes.ts';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printableKey } from '../terminal/printable.ts';
import { requireChangelog } from '../topics/require-topic.ts';

interface EntryFlags extends ConfigurationFlags {
  readonly kind: KindName;
  readonly pipeline?: string;
  /** Keys are given in base64. */
  readonly base64?: boolean;
  readonly json?: boolean;
}

export interface ListFlags extends EntryFlags {
  readonly prefix?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface GetFlags extends EntryFlags {
  readonly key: string;
}

interface FoundRow {
  readonly partition: number;
  readonly entries: readonly ShownEntry[];
}

export async function runList(flags: ListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { kind, prefix = '', after, limit } = flags;
  const wish = {
    prefix: keyBytes(prefix, flags),
    after: after === undefined ? undefined : keyBytes(after, flags),
    limit,
  };
  const page = new KeyPage<FoundRow>(wish);
  const asOf: AsOf[] = [];
  const asked = await askedPipeline(flags, shell);
  const pipeline = asked.pipeline.name;
  for await (const state of statesOf(asked, shell)) {
    const { partition } = state;
    asOf.push(asOfValue(state));
    for (const { key, shown } of state.entries()) page.add(key, () => ({ partition, entries: shown() }));
  }
  const table = entryTable(kind, console.width);
  console.heading(table.heading);
  for (const { key, of } of page.kept)
    for (const entry of of.entries)
      console.result(
        { kind, pipeline, partition: of.partition, ...entryValue(key, entry) },
        table.line({ key, entry }),
      );
  const last = page.kept.at(-1)?.key;
  const more = page.hasMore && last !== undefined ? `; more behind --after ${printableKey(last)}` : '';
  const listed = page.kept.length;
  const counts = `${counted(page.total, 'key')}${listed < page.total ? `, ${count(listed)} of them here` : ''}`;
  console.result(
    { kind: 'summary', pipeline, total: page.total, listed, more: page.hasMore, asOf },
    console.colors.dim(`${counts}, ${asOfText(asOf)}${more}`),
  );
  return ExitCode.ok;
}

export async function runGet(flags: GetFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { kind } = flags;
  const wanted = keyBytes(flags.key, flags);
  const asOf: AsOf[] = [];
  const asked = await askedPipeline(flags, shell);
  const pipeline = asked.pipeline.name;
  const said = { kind, pipeline };
  const places: number[] = [];
  for await (const state of statesOf(asked, shell, wanted)) {
    const { partition } = state;
    asOf.push(asOfValue(state));
    const found = shownOf(state, wanted);
    if (found === undefined) continue;
    const [of] = asOf.slice(-1);
    for (const entry of found)
      console.result(
        { ...said, state: 'live', ...of, ...entryValue(wanted, entry) },
        `${entryDetails(wanted, entry)}\n${'partition'.padEnd(16)}${partition}, ${asOfText([of!])}`,
      );
    places.push(partition);
  }
  if (places.length > 1) console.note(`It lives in partitions ${places.join(' and ')}: ${UNLIKE_PARTITIONERS}`);
  if (places.length > 0) return ExitCode.ok;
  console.result(
    { ...said, state: 'none', ...entryValue(wanted, {}), asOf },
    `no ${KIND_WORDS[kind].noun} has this key, ${asOfText(asOf)}`,
  );
  return ExitCode.failedCheck;
}

/** Each life of a key is shown: clients that do not partition alike send it to several partitions (I9). */
const UNLIKE_PARTITIONERS = "its producers do not partition alike; librdkafka's need partitioner=murmur2_random";

function shownOf(state: PartitionState, wanted: Uint8Array): readonly ShownEntry[] | undefined {
  for (const { key, shown } of state.entries()) if (Buffer.compare(key, wanted) === 0) return shown();
  return undefined;
}

interface Asked {
  readonly config: FlatlineConfig;
  readonly pipeline: PipelineConfig;
}

async function askedPipeline(flags: EntryFlags, shell: Shell): Promise<Asked> {
  const config = await configurationOf(shell, flags, ['kafka']);
  return { config, pipeline: pipelineOfKind(config, flags.kind, flags.pipeline) };
}

/**
 * The partitions one after the other, so that no more than one is in memory; first the one where producers put `key`. Where they
 * partition differently it is in another, too, so all of them are read.
 */
async function* statesOf(
  { config, pipeline }: Asked,
  { clock, stop }: Shell,
  key?: Uint8Array,
): AsyncGenerator<PartitionState> {
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const { partitions } = await requireChangelog(connection, clock, pipeline.changelogTopic);
    const scan = new KafkaLogScan({ clock, connection });
    const first = key === undefined ? 0 : partitionOf(key, partitions);
    for (let i = 0; i < partitions; i += 1) {
      const partition = (first + i) % partitions;
      // Drawn each time: keys cannot be prepared to collide (I3).
      const hashSeed = randomInt(2 ** 32);
      const state = await readPartitionState({ pipeline, partition, scan, hashSeed, stop: stop.signal });
      if (stop.signal.aborted) throw interruptedBefore('the changelog was read');
      yield state;
    }
  } finally {
    connection.close();
  }
}
