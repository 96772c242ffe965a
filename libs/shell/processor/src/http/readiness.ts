import type { Millis } from '@flatline/base';
import type { Looked, PipelineStatus, ProcessView } from './observed.ts';
import { DAMAGED_STORES_MAX, recentDamage } from './store-damage.ts';

/** Why this instance should get no traffic and wait for no rollout; empty: it is ready. */
export function unreadyReasons({ processes, absences }: Pick<Looked, 'processes' | 'absences'>): readonly string[] {
  // Workers share a directory: what is wrong with it each of them says.
  return [...new Set([...absences, ...processes.flatMap(reasonsOfProcess)])];
}

function reasonsOfProcess({ isStopping, pipelines, wallNow, worker }: ProcessView): readonly string[] {
  const who = worker === undefined ? 'the processor' : `worker ${worker}`;
  if (isStopping) return [`${who} is stopping`];
  if (pipelines.length === 0)
    return [worker === undefined ? 'the pipelines are being opened' : `${who} opens its pipelines`];
  return pipelines.flatMap((pipeline) => [...reasonsOf(pipeline), ...damageOf(pipeline, wallNow)]);
}

function reasonsOf({ name, ready, interruption, failure, tasks }: PipelineStatus): string[] {
  if (failure !== undefined) return [`${name} has stopped: ${failure}`];
  const notRunning = tasks
    .filter(({ state }) => state !== 'running' && state !== 'draining' && state !== 'closed')
    .map(
      ({ partition, state, detail }) => `${name}/${partition} is ${state}${detail === undefined ? '' : `: ${detail}`}`,
    );
  if (interruption !== undefined) return [`${name}: membership is interrupted: ${interruption}`, ...notRunning];
  return ready || notRunning.length > 0 ? notRunning : [`${name}: no assignment yet`];
}

/** Sessions are safe, but whatever damages the stores will not stop by itself. */
function damageOf({ name, storeDrops }: PipelineStatus, wallNow: Millis): string[] {
  const damage = recentDamage(storeDrops, wallNow);
  if (damage.length <= DAMAGED_STORES_MAX) return [];
  const shown = damage.map(({ partition, reason }) => `${partition} ${reason}`).join(', ');
  return [
    `${name}: ${damage.length} local stores were dropped as damaged within the hour (partition ${shown}), more than ` +
      `${DAMAGED_STORES_MAX}; each was rebuilt from the changelog: check the disk of stateDir`,
  ];
}
