// Warnings of an instance that works, and where another would not help: it stays ready, and tells whoever asks.
import type { DurationMs, Millis } from '@flatline/base';
import { MISPLACED_REMEDY, QUEUE_FILL_ALARM, STATE_FILL_ALARM } from '@flatline/runtime';
import type { Looked, PipelineStatus } from './observed.ts';
import { stuckOf } from './probe-rows.ts';

/** Age from which a warning counts as over. */
const RECENT_MS: DurationMs = 60 * 60_000;

export function warningsOf({ processes }: Looked): readonly string[] {
  return processes.flatMap(({ pipelines, wallNow, lookUpFill }) => [
    ...lookUpsOf(lookUpFill),
    ...pipelines.flatMap((pipeline) => [
      ...stuckOf(pipeline),
      ...fillOf(pipeline),
      ...queuesOf(pipeline),
      ...obstaclesOf(pipeline),
      ...refusalsOf(pipeline, wallNow),
      ...misplacedOf(pipeline, wallNow),
    ]),
  ]);
}

function lookUpsOf(fill: number): string[] {
  if (fill < QUEUE_FILL_ALARM) return [];
  return [`${percent(fill)} % of the look-ups that may wait at once do: beyond, keys are answered with "restoring"`];
}

/** Tasks that have nearly as much to commit as may wait. */
function queuesOf({ name, tasks }: PipelineStatus): string[] {
  return tasks
    .filter(({ commitFill }) => commitFill >= QUEUE_FILL_ALARM)
    .map(
      ({ partition, commitFill }) =>
        `${name}/${partition} has ${percent(commitFill)} % of what may wait for a commit: beyond, reading pauses until it is made`,
    );
}

function percent(share: number): number {
  return Math.floor(share * 100);
}

/** Partitions in which soon nothing more can be opened, nor grow. */
function fillOf({ name, tasks }: PipelineStatus): string[] {
  return tasks
    .filter(({ stateFill }) => stateFill >= STATE_FILL_ALARM)
    .map(
      ({ partition, stateFill, stateBytes, liveEntries }) =>
        `${name}/${partition} holds ${percent(stateFill)} % of what may live in one partition (${liveEntries} ` +
        `entries, ${stateBytes} bytes): beyond, records that need more room are dead letters (state-full)`,
    );
}

/** Partitions that run and are held up: by brokers that do not answer, a transaction that hangs, a store that was lost (X5). One line. */
function obstaclesOf({ name, tasks }: PipelineStatus): string[] {
  const held = tasks.filter(({ state, detail }) => state === 'running' && detail !== undefined);
  const [first] = held;
  if (first === undefined) return [];
  const others = held.length === 1 ? '' : ` (and in ${held.length - 1} more)`;
  return [`${name}/${first.partition} runs, and is held up: ${first.detail}${others}`];
}

/** One line for all partitions: where there is one bad producer, each has its letters. */
function refusalsOf({ name, tasks }: PipelineStatus, wallNow: Millis): string[] {
  const hit = tasks.filter(({ refused }) => refused !== undefined && isRecent(refused.at, wallNow));
  const letters = sum(hit.map(({ counters }) => counters?.['deadLetters'] ?? 0));
  const newest = hit.toSorted((a, b) => a.refused!.at - b.refused!.at).at(-1);
  if (newest === undefined) return [];
  const { offset, reason, detail } = newest.refused!;
  return [
    `${name} has refused ${letters} records since its tasks began here, the newest in partition ${newest.partition} at offset ` +
      `${offset} (${reason}: ${detail}): flatline dead-letters list`,
  ];
}

/** One line, as above. */
function misplacedOf({ name, inputTopic, tasks }: PipelineStatus, wallNow: Millis): string[] {
  const hit = tasks.filter(({ misplaced }) => misplaced !== undefined && isRecent(misplaced.at, wallNow));
  const keys = sum(hit.map(({ counters }) => counters?.['misplacedKeys'] ?? 0));
  const newest = hit.toSorted((a, b) => a.misplaced!.at - b.misplaced!.at).at(-1);
  if (newest === undefined) return [];
  const { offset, belongsTo } = newest.misplaced!;
  return [
    `${name}: ${keys} entries were opened by keys of other partitions of ${inputTopic}, the newest in partition ` +
      `${newest.partition} at offset ${offset}, where murmur2 says ${belongsTo}: ${MISPLACED_REMEDY}`,
  ];
}

function isRecent(at: Millis, wallNow: Millis): boolean {
  return at > wallNow - RECENT_MS && at <= wallNow;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
