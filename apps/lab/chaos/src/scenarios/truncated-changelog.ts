// F24: the changelog is truncated under its readers, a standby that slept and a restoration, and with no entry alive.
import { rmSync } from 'node:fs';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import type { Child } from '../stage/child.ts';
import { sleep } from '../stage/sleep.ts';
import { produce } from '../stage/topic-records.ts';
import { awaitCloses, QUIESCENCE_MAX_MS, writeSentinels } from '../trial/ending.ts';
import { blockedAt } from '../stage/failpoints.ts';
import { topicEnds } from '../stage/topic-dump.ts';
import { Trial } from '../trial/trial.ts';

/** Raises the floor soon: short sessions release the log's beginning within seconds. */
const TRUNCATE_LAG_MS = 500;
/** Longer than any process is blocked here, so that none is expelled, and the one that wakes up goes on where it was. */
const kafka = { sessionTimeoutMs: 15_000, heartbeatIntervalMs: 500 };
const BLOCKED_MS = 6_000;
const TRUNCATES_WITHIN_MS = 30_000;
const NOTICES_WITHIN_MS = 20_000;
const STARTS_WITHIN_MS = 60_000;
const PHASE_MS = 3_000;
const LOOK_EVERY_MS = 100;

export const truncatedChangelog: Scenario = {
  id: 'F24',
  title: 'the changelog truncated under a stopped standby, under a restoration, with no entry alive',
  nodes: 1,
  variants: 3,
  run: (context) => {
    const variants = [underStandby, underRestoration, noneAlive];
    return variants[context.index % variants.length]!(context);
  },
};

/** It wakes up below the log's start, drops everything and restarts there empty (K5); then it must take over. */
async function underStandby(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, { kafka, pipeline: { truncateLagMs: TRUNCATE_LAG_MS, standbys: 1 } });
  trial.variant = 'a standby stopped across two truncations';
  trial.load();
  const owner = await trial.started('a');
  const standby = await trial.started('b');
  await until(() => standby.said(/standby follows/).length >= trial.application.partitions / 2, STARTS_WITHIN_MS);
  const followed = standbysOf(standby);
  trial.armed = followed.length;
  const before = await changelogEnds(trial.application);
  standby.signal('SIGSTOP');
  const truncations = await truncatedTwice(
    trial.application,
    followed.map((partition) => ({ partition, above: before[partition]!.end })),
  );
  standby.signal('SIGCONT');
  const dropped = (): number => standby.said(/standby drops its state.*behind-log-start/).length;
  await until(() => dropped() >= followed.length, NOTICES_WITHIN_MS);
  for (let count = 0; count < Math.min(dropped(), followed.length) && truncations; count += 1) trial.hit();
  await sleep(PHASE_MS);
  // Only the records read from here on count.
  await owner.kill9();
  await until(() => runs(standby) >= trial.application.partitions, STARTS_WITHIN_MS);
  trial.facts['takenOverFromStandby'] = standby.said(/task runs.*"restoredFrom":"standby"/).length;
  return trial.conclude([standby]);
}

/** It had learned the log's beginning, which then moved. */
async function underRestoration(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, { kafka, pipeline: { truncateLagMs: TRUNCATE_LAG_MS } });
  trial.variant = 'truncated while another instance restores';
  trial.load();
  const owner = await trial.started('a');
  await sleep(PHASE_MS);
  trial.armed = 1;
  const other = trial.processor('b', { edits: blockedAt('restore.loaded', 1, BLOCKED_MS) });
  const line = await other.line(/local store dropped.*behind-log-start/, BLOCKED_MS + NOTICES_WITHIN_MS);
  if (line !== undefined) trial.hit();
  await until(() => runs(other) >= trial.application.partitions / 2, STARTS_WITHIN_MS);
  await sleep(PHASE_MS);
  return trial.conclude([owner, other]);
}

/** No entry is alive, and the position must outlive every record of the log (K3). */
async function noneAlive(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, { pipeline: { truncateLagMs: TRUNCATE_LAG_MS } });
  trial.variant = 'no entry alive, truncated to the last commit, restored without a local store';
  const { application } = trial;
  trial.load();
  const first = await trial.started();
  await sleep(PHASE_MS);
  await trial.endLoad();
  await awaitCloses(application, await writeSentinels(application), { withinMs: QUIESCENCE_MAX_MS });
  const blocks = await changelogEnds(application);
  trial.armed = application.partitions;
  await until(async () => {
    // Ends of unknown sessions: they only move the position.
    await produce(application, endsOfUnknown(application.partitions));
    return (await changelogEnds(application)).every(({ logStart }, partition) => logStart >= blocks[partition]!.end);
  }, TRUNCATES_WITHIN_MS);
  await first.kill9();
  rmSync(application.stateDir('a'), { recursive: true });
  const second = await trial.started();
  await until(() => runs(second) >= application.partitions, STARTS_WITHIN_MS);
  second.said(/task runs.*"liveEntries":0/).forEach(() => {
    trial.hit();
  });
  await produce(application, afterwards(application.partitions));
  return trial.conclude([second]);
}

const runs = (processor: Child): number => processor.said(/task runs/).length;

/** From the latest assignment that names any. */
function standbysOf(processor: Child): readonly number[] {
  const line = processor.said(/partitions assigned.*"standbys":\[\d/).at(-1) ?? '{}';
  return (JSON.parse(line) as { readonly standbys?: readonly number[] }).standbys ?? [];
}

/** True if the log start of each of these partitions has moved once more after it had passed `above`. */
async function truncatedTwice(
  application: Application,
  wanted: readonly { readonly partition: number; readonly above: number }[],
): Promise<boolean> {
  const logStarts = wanted.map(() => new Set<number>());
  return until(async () => {
    const ends = await changelogEnds(application);
    wanted.forEach(({ partition, above }, index) => {
      const { logStart } = ends[partition]!;
      if (logStart > above) logStarts[index]!.add(logStart);
    });
    return logStarts.every(({ size }) => size >= 2);
  }, TRUNCATES_WITHIN_MS);
}

function changelogEnds({ kafka: options, changelog, partitions }: Application): ReturnType<typeof topicEnds> {
  return topicEnds(options, changelog, partitions);
}

async function until(done: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const from = Date.now();
  while (Date.now() - from < withinMs) {
    if (await done()) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

function endsOfUnknown(
  partitions: number,
): { readonly partition: number; readonly key: Buffer; readonly value: null }[] {
  return Array.from({ length: partitions }, (_, partition) => ({
    partition,
    key: Buffer.from('unknown'),
    value: null,
  }));
}

function afterwards(
  partitions: number,
): { readonly partition: number; readonly key: Buffer; readonly value: Uint8Array }[] {
  return Array.from({ length: partitions * 50 }, (_, index) => ({
    partition: index % partitions,
    key: Buffer.from(`later-${index}`),
    value: new Uint8Array(),
  }));
}
