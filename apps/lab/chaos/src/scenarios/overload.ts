// More input than the processor can take, for minutes: bounded memory, visible lag, no rebalance, nothing lost.
//
// Records are expensive (JSON with attributes), and the processor gets a fifth of a CPU: at full speed it outruns any feed that a
// small machine could sustain, in records as in disk space.
import { writeFileSync } from 'node:fs';
import { BatchProducer, openCluster, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { judge, violationsOf } from '../check/judgement.ts';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import type { Child } from '../stage/child.ts';
import { CpuShare } from '../stage/cpu-share.ts';
import { sleep } from '../stage/sleep.ts';
import { writeSentinels } from '../trial/ending.ts';
import { Trial } from '../trial/trial.ts';
import { freePort, type VitalSigns, vitalSigns } from '../stage/vital-signs.ts';

const MINUTES_OF_OWN = 1;
/** About twice the throughput at that share. */
const RECORDS_PER_SECOND = 25_000;
/** With less, the event loop's longest turns, some tenths of a second of CPU, would last as long as the session timeout. */
const CPU_SHARE = 0.2;
const SLICE_MS = 50;
/** Keys alive at a time; each beats every two seconds, for 50, and is followed by another. */
const KEYS_ALIVE = 50_000;
const BEATS_PER_KEY = 25;
const TIMEOUT_MS = 15_000;
const ATTRIBUTES = 3;
const LOOK_EVERY_MS = 1_000;
const CATCH_UP_MAX_MS = 300_000;

const MEBIBYTE = 1024 * 1024;
const HEAP_MEBIBYTES = 256;
/** Everything that bounds memory, each by its name in the source. The backlog of a gigabyte and more is none of it. */
const CEILING_BYTES =
  MEBIBYTE *
  (HEAP_MEBIBYTES + // --max-old-space-size
    96 + // the young generation, code, stacks and what Node itself needs
    64 + // readerBufferBytes (libs/shell/kafka): fetched, not yet applied
    8 + // fetchBytes (libs/shell/kafka): an answer on its way
    32 + // FREE_ANSWER_BYTES_MAX (libs/shell/kafka)
    4 * 32 + // TAKEN_BYTES_MAX (libs/core/partition) of each task: rows that a cut takes for the local store
    64 + // FREE_BLOCK_BYTES_MAX (libs/shell/runtime)
    4 * 16 + // flushSlice (libs/shell/runtime) of each task: LMDB copies the pages that it changes, and keeps their memory
    16); // FREE_BATCH_BYTES_MAX (libs/shell/kafka)

export const overload: Scenario = {
  id: 'overload',
  title: 'input faster than the processor, for minutes',
  nodes: 1,
  variants: 1,
  takesMinutes: true,
  run,
};

interface Watch {
  readonly signs: VitalSigns[];
  stopped: boolean;
}

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, {
    timeoutMs: TIMEOUT_MS,
    kafka: { sessionTimeoutMs: 10_000, heartbeatIntervalMs: 1_000 },
  });
  const { application } = trial;
  const minutes = context.minutes ?? MINUTES_OF_OWN;
  trial.variant = `${minutes} min of ${RECORDS_PER_SECOND} records per second, ${CPU_SHARE} of a CPU`;
  const httpPort = await freePort();
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}` };
  const processor = await trial.started('a', { env, httpPort });
  await allAssigned(processor, application.partitions);
  const assignments = processor.said(/partitions assigned/).length;
  const watch: Watch = { signs: [], stopped: false };
  const share = new CpuShare(processor, CPU_SHARE);
  const watching = observe(processor, httpPort, watch);
  trial.armed = 1;
  const sent = await feed(application, minutes * 60_000);
  judgeLag(trial, watch.signs, sent.records);
  await share.lift();
  const caughtUpAfterMs = await caughtUp(watch);
  writeFileSync(application.ledger, sent.ledger.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await writeSentinels(application);
  const closedAll = await noneAlive(watch);
  watch.stopped = true;
  await watching;
  judgeMemory(trial, watch.signs);
  if (caughtUpAfterMs === undefined || !closedAll)
    trial.violations.push({
      rule: 'X5',
      subject: application.group,
      detail: 'not caught up, or not all closed, in time',
    });
  const rebalances = processor.said(/partitions assigned/).length - assignments;
  const why = processor.said(/membership interrupted/).join(' | ');
  if (rebalances > 0)
    trial.violations.push({ rule: 'X5', subject: application.group, detail: `${rebalances} rebalances: ${why}` });
  await trial.endCleanly(processor);
  const report = await judge(application);
  const undecided = report.undecided.length === 0 ? {} : { undecided: report.undecided.join(' | ') };
  return {
    variant: trial.variant,
    armed: trial.armed,
    fired: trial.fired,
    recoveriesMs: [],
    violations: [...trial.violations, ...violationsOf(report)],
    closes: report.closed,
    records: report.records.input,
    closeDelayMaxMs: undefined,
    facts: {
      ...trial.facts,
      caughtUpAfterMs: caughtUpAfterMs ?? 'never',
      rebalances,
      commits: report.commits,
      ...undecided,
    },
  };
}

/** The trial has shown something only if input really piled up, visibly. */
function judgeLag(trial: Trial, signs: Watch['signs'], records: number): void {
  const lags = signs.map(({ lag }) => lag);
  const at = (part: number): number => lags[Math.floor(part * (lags.length - 1))] ?? 0;
  if (at(1) > records / 5 && at(1) > at(0.6) && at(0.6) > at(0.3)) trial.hit();
  Object.assign(trial.facts, {
    recordsFed: records,
    lagAtThird: at(0.3),
    lagAtEndOfFeed: at(1),
    samples: signs.length,
  });
}

/** While it piled up, and while the processor caught up. */
function judgeMemory(trial: Trial, signs: Watch['signs']): void {
  const memory = signs.flatMap(({ anonymousBytes }) => anonymousBytes ?? []);
  const peak = Math.max(...memory);
  const inMebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE);
  Object.assign(trial.facts, {
    anonymousMiBPeak: inMebibytes(peak),
    ceilingMiB: inMebibytes(CEILING_BYTES),
    anonymousMiBMedian: inMebibytes([...memory].sort((a, b) => a - b)[memory.length >> 1] ?? 0),
  });
  if (memory.length > 0 && peak > CEILING_BYTES)
    trial.violations.push({
      rule: 'X6',
      subject: 'processor',
      detail: `${peak} bytes, its bounds allow ${CEILING_BYTES}`,
    });
}

async function observe(processor: Child, httpPort: number, watch: Watch): Promise<void> {
  while (!watch.stopped && processor.ending === undefined) {
    const signs = await vitalSigns(processor, httpPort);
    if (signs !== undefined) watch.signs.push(signs);
    await sleep(LOOK_EVERY_MS);
  }
}

async function caughtUp(watch: Watch): Promise<number | undefined> {
  const from = performance.now();
  while (performance.now() - from < CATCH_UP_MAX_MS) {
    if (watch.signs.at(-1)?.lag === 0) return Math.round(performance.now() - from);
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}

async function noneAlive(watch: Watch): Promise<boolean> {
  const from = performance.now();
  while (performance.now() - from < CATCH_UP_MAX_MS) {
    const last = watch.signs.at(-1);
    if (last?.lag === 0 && last.liveEntries === 0) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

async function allAssigned(processor: Child, partitions: number): Promise<void> {
  for (let looks = 0; looks < 600 && processor.said(/task runs/).length < partitions; looks += 1) await sleep(100);
}

interface Fed {
  readonly records: number;
  /** In the form of `flatline simulate --ledger`. */
  readonly ledger: readonly Readonly<Record<string, string | number>>[];
}

/** Feeds at an even rate, regardless of the outcome; resolves when everything is acknowledged. */
async function feed(application: Application, forMs: number): Promise<Fed> {
  const connection = openCluster(application.kafka);
  const counts = new Map<string, number>();
  let sent = 0;
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: application.input });
    const from = performance.now();
    for (let now = 0; now < forMs; now = performance.now() - from) {
      const due = Math.floor((now * RECORDS_PER_SECOND) / 1_000);
      for (; sent < due; sent += 1) {
        const record = dearRecord(sent);
        counts.set(record.id, (counts.get(record.id) ?? 0) + 1);
        const room = producer.add(record);
        if (room !== undefined) await room;
      }
      await sleep(SLICE_MS);
    }
    await producer.close();
  } finally {
    connection.close();
  }
  const ledger = [...counts].map(([sessionId, acknowledged]) => ({
    sessionId,
    acknowledged,
    duplicates: 0,
    ended: 'silence',
    longestGapMs: 0,
  }));
  return { records: sent, ledger };
}

/** The nth record of all: keys take turns, and after `beatsPerKey` rounds others replace them. */
function dearRecord(index: number): ProducedRecord & { readonly id: string } {
  const round = Math.floor(index / KEYS_ALIVE);
  const sequence = round % BEATS_PER_KEY;
  const id = `o${index % KEYS_ALIVE}-${Math.floor(round / BEATS_PER_KEY)}`;
  const named = Array.from({ length: ATTRIBUTES }, (_, each) => [
    `attribute-${each}`,
    `value ${each} of ${round}, ${id}`,
  ]);
  const event = {
    type: 'HEARTBEAT',
    sequence,
    occurredAt: Date.now(),
    attributes: Object.fromEntries(named) as unknown,
  };
  return { id, key: Buffer.from(id), value: Buffer.from(JSON.stringify(event)) };
}
