// The end of a run: sentinels into every partition, the wait until everything due is closed, and the verdict.
import { existsSync, readFileSync } from 'node:fs';
import { openSummaryConsumer, type OutputRecord } from '@flatline/client';
import { BatchProducer, openCluster, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { type Expectation, expectationOf, type ExpectationRules } from '../check/expectation.ts';
import { judge, type LedgerLine, type Verdict } from '../check/verdict.ts';
import type { Application } from './application.ts';
import { elapse } from './elapse.ts';
import { dumpTopic, type LogRecord, topicEnds } from './topic-dump.ts';

/** Longer than anything waits for: the broker's transaction timeout, a group's session, a coordinator's move. */
export const QUIESCENCE_MAX_MS = 90_000;
/** Append times are rounded to milliseconds. */
const SENTINEL_MARGIN_MS = 50;

/** What only the scenario knows of its records and processors. */
export interface JudgingOptions {
  /** Default: nothing that decodes is refused. */
  readonly refusalOf?: ExpectationRules['refusalOf'];
  readonly movesClock?: ExpectationRules['movesClock'];
  /** Default: they are. */
  readonly stampsAreTrue?: boolean;
  /** Default: it does not. */
  readonly presentDecides?: boolean;
}

function expectations(
  { timeoutMs, options }: Application,
  input: readonly (readonly LogRecord[])[],
  { refusalOf = () => undefined, movesClock }: JudgingOptions,
): readonly Expectation[] {
  const byArrival = options.timestampType !== 'CreateTime';
  const rules = { timeoutMs, byArrival, refusalOf, movesClock };
  return input.map((records, partition) => expectationOf(records, partition, rules));
}

/** A producer of the test's own, past any proxy. */
export async function produce(application: Application, records: Iterable<ProducedRecord>): Promise<void> {
  const connection = openCluster(application.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: application.input });
    await producer.send(records);
    await producer.close();
  } finally {
    connection.close();
  }
}

const sentinelKey = (partition: number): string => `sentinel-${partition}`;

/**
 * To be called when the load has ended and faults are healed: waits out the timeout, writes a record to every partition, and
 * returns where they lie. With them every session of the load is provably silent, whatever any clock says (V2).
 */
export async function writeSentinels(application: Application): Promise<readonly number[]> {
  const { kafka, input, partitions, timeoutMs } = application;
  await elapse(timeoutMs + SENTINEL_MARGIN_MS);
  await produce(
    application,
    Array.from({ length: partitions }, (_, partition) => ({
      partition,
      key: Buffer.from(sentinelKey(partition)),
      value: new Uint8Array(),
    })),
  );
  return (await topicEnds(kafka, input, partitions)).map(({ end }) => end - 1);
}

/**
 * Resolves when everything is closed that the sentinels prove, and then they themselves, by the processors' own proof of
 * silence: no session is alive any more, and one still open afterwards was forgotten (V2). Or when waiting longer makes no sense.
 */
export async function awaitCloses(
  application: Application,
  sentinels: readonly number[],
  { withinMs, ...judging }: JudgingOptions & { readonly withinMs: number },
): Promise<{ readonly waitedMs: number; readonly quiescent: boolean }> {
  const { kafka, input, partitions } = application;
  const records = await dumpTopic(kafka, input, partitions);
  const due = new Set(
    expectations(application, records, judging).flatMap(({ closes }, number) =>
      closes.filter(({ provenBy }) => provenBy <= sentinels[number]!).map(({ incarnation }) => incarnation),
    ),
  );
  for (const [partition, known] of records.entries()) {
    const sentinel = known.findLast(({ key }) => key === sentinelKey(partition));
    if (sentinel !== undefined) due.add(`${partition}-${sentinel.offset}`);
  }
  const since = performance.now();
  const quiescent = await allBuried(application, due, withinMs);
  return { waitedMs: performance.now() - since, quiescent };
}

/** Follows the output until it has a tombstone of each incarnation; false where that takes longer. */
async function allBuried({ kafka, output }: Application, due: Set<string>, withinMs: number): Promise<boolean> {
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: output, from: 'beginning' });
  const limit = systemClock.after(withinMs, () => {
    consumer.close();
  });
  try {
    for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
      if (record.kind === 'tombstone') due.delete(record.incarnation ?? '');
      if (due.size === 0) return true;
    }
    return false;
  } finally {
    limit();
    await close();
  }
}

/** To be called when no processor runs any more. */
export async function examine(
  application: Application,
  sentinels: readonly number[],
  judging: JudgingOptions,
): Promise<Verdict> {
  const { kafka, partitions } = application;
  const [input, deadLetters, outputs] = await Promise.all([
    dumpTopic(kafka, application.input, partitions),
    dumpTopic(kafka, application.deadLetters, partitions),
    readOutputs(application),
  ]);
  return judge({
    folded: expectations(application, input, judging),
    sentinels,
    input,
    outputs,
    deadLetters,
    ledger: readLedger(application.ledger),
    stampsAreTrue: judging.stampsAreTrue ?? true,
    presentDecides: judging.presentDecides ?? false,
  });
}

/** All that is committed on the output now. */
export async function readOutputs({ kafka, output }: Pick<Application, 'kafka' | 'output'>): Promise<OutputRecord[]> {
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: output, from: 'beginning', until: 'end' });
  try {
    const outputs: OutputRecord[] = [];
    for await (const record of consumer) outputs.push(record);
    return outputs;
  } finally {
    await close();
  }
}

function readLedger(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LedgerLine);
}
