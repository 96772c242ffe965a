// `flatline simulate`: a fleet that sends to a topic, and its ledger.
import { count, counted } from '@flatline/base';
import { clusterOf, connect } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import {
  expectedBeats,
  type FleetPlan,
  planProblems,
  scheduleOf,
  usualEnds,
  type FleetFormat,
  type LedgerEntry,
  type RunningFleet,
  startFleet,
} from '@flatline/fleet';
import { LedgerFile } from './ledger-file.ts';
import { whileWaiting } from '@flatline/system';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { requireTopic } from '../topics/require-topic.ts';
import { ProgressDisplay } from '../terminal/progress-display.ts';

export interface SimulateFlags extends ConfigurationFlags {
  readonly topic: string;
  readonly sessions: number;
  readonly rate: number;
  readonly heartbeatMs: number;
  readonly beats: number;
  readonly duplicates: number;
  readonly reorder: number;
  readonly lose: number;
  readonly seed?: number;
  readonly format: FleetFormat;
  readonly deliveryTimeoutMs?: number;
  readonly ledger?: string;
  readonly json?: boolean;
}

const SEEDS_MAX = 2 ** 31;
const LOOK_EVERY_MS = 100;
/** Behind its schedule by more, a fleet does not make its rate. */
const BEHIND_WARN_MS = 1000;

export async function runSimulate(flags: SimulateFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const plan = planOf(flags);
  const { kafka, registry } = await clusterOf(shell, flags, ['kafka', 'schemaRegistry']);
  const connection = await connect(kafka, shell.stop);
  let ledger: LedgerFile | undefined;
  try {
    await requireTopic(connection, shell.clock, flags.topic);
    if (flags.ledger !== undefined) ledger = new LedgerFile(flags.ledger);
    const totals: FleetTotals = { sessions: 0, acknowledged: 0, duplicates: 0, lost: 0, reordered: 0 };
    const onEntry = (entry: LedgerEntry): void => {
      addEntry(totals, entry);
      ledger?.write(entry);
    };
    const { clock, stop } = shell;
    const { format, topic, deliveryTimeoutMs } = flags;
    const delivery = { format, topic, deliveryTimeoutMs, connection, registry };
    const running = await startFleet({ plan, ...delivery, clock, onEntry, stop: stop.signal });
    sayPlan(plan, console);
    const elapsedMs = await watch(running, plan, console, shell);
    const interrupted = stop.signal.aborted;
    showResult({ flags, plan, totals, elapsedMs, interrupted }, running, console);
    return interrupted ? ExitCode.interrupted : ExitCode.ok;
  } finally {
    ledger?.close();
    connection.close();
  }
}

function planOf(flags: SimulateFlags): FleetPlan {
  const { sessions, rate, heartbeatMs, beats, duplicates, reorder, lose } = flags;
  const seed = flags.seed ?? Math.floor(Math.random() * SEEDS_MAX);
  const ends = usualEnds;
  const plan = { sessions, ratePerSecond: rate, heartbeatMs, beatsMean: beats, duplicates, reorder, lose, ends, seed };
  const problems = planProblems(plan);
  if (problems.length > 0) throw usageFailure(problems.join('\n'));
  return plan;
}

function sayPlan(plan: FleetPlan, console: Console): void {
  const { lanes, spacingMs } = scheduleOf(plan);
  const rate = 1000 / spacingMs;
  console.note(
    `seed ${plan.seed}: ${counted(lanes, 'session')} at a time, ${counted(Math.round(rate), 'heartbeat')}/s`,
  );
  if (rate < plan.ratePerSecond * 0.99)
    console.note(
      `--rate ${plan.ratePerSecond} needs ${counted(Math.ceil((plan.ratePerSecond * plan.heartbeatMs) / 1000), 'session')}; this run sends at most ${count(Math.round(rate))}/s`,
    );
}

/** Shows progress until the fleet has finished. @returns how long it took. */
async function watch(running: RunningFleet, plan: FleetPlan, console: Console, { clock }: Shell): Promise<number> {
  const progress = new ProgressDisplay(console, clock);
  await whileWaiting(running.finished, { clock, everyMs: LOOK_EVERY_MS }, () => {
    const { heartbeats, behindMs } = running.sender;
    progress.update({
      doing: behindMs > BEHIND_WARN_MS ? `simulating, ${duration(behindMs)} behind schedule` : 'simulating',
      unit: 'heartbeat',
      done: heartbeats,
      total: Math.max(heartbeats, expectedBeats(plan) ?? 0),
    });
  });
  progress.end();
  return progress.elapsedMs;
}

/** The line about the fleet as a whole. */
interface FleetTotals {
  sessions: number;
  acknowledged: number;
  duplicates: number;
  lost: number;
  reordered: number;
}

function addEntry(totals: FleetTotals, entry: LedgerEntry): void {
  totals.sessions += 1;
  totals.acknowledged += entry.acknowledged;
  totals.duplicates += entry.duplicates;
  totals.lost += entry.lost;
  totals.reordered += entry.reordered;
}

interface SimulateResult {
  readonly flags: SimulateFlags;
  readonly plan: FleetPlan;
  readonly totals: FleetTotals;
  readonly elapsedMs: number;
  /** The result then covers what was sent so far. */
  readonly interrupted: boolean;
}

function showResult(
  { flags, plan, totals, elapsedMs, interrupted }: SimulateResult,
  { sender }: RunningFleet,
  console: Console,
): void {
  const { topic, ledger } = flags;
  const rate = Math.round((1000 * sender.heartbeats) / Math.max(1, elapsedMs));
  console.result(
    { topic, seed: plan.seed, ...totals, elapsedMs: Math.round(elapsedMs), ledger, interrupted },
    (interrupted ? `interrupted; sent until then: ${count(totals.sessions)} of ` : '') +
      `${counted(plan.sessions, 'session')}, ${counted(totals.acknowledged, 'heartbeat')} and ${counted(totals.duplicates, 'duplicate')} ` +
      `acknowledged, ${count(totals.lost)} lost, ${count(totals.reordered)} reordered, in ${duration(elapsedMs)} (${count(rate)}/s)` +
      (ledger === undefined ? '' : `; ledger: ${ledger}`),
  );
}
