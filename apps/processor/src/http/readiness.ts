import type { Observed, PipelineStatus } from './observed.ts';

/** Why this instance should get no traffic and wait for no rollout; empty: it is ready. */
export function unreadyReasons(observed: Observed): readonly string[] {
  if (observed.isStopping) return ['the processor is stopping'];
  return observed.pipelines().flatMap(reasonsOf);
}

function reasonsOf({ name, ready, interruption, tasks }: PipelineStatus): string[] {
  const notRunning = tasks
    .filter(({ state }) => state !== 'running' && state !== 'draining' && state !== 'closed')
    .map(
      ({ partition, state, detail }) => `${name}/${partition} is ${state}${detail === undefined ? '' : `: ${detail}`}`,
    );
  if (interruption !== undefined) return [`${name}: membership is interrupted: ${interruption}`, ...notRunning];
  return ready || notRunning.length > 0 ? notRunning : [`${name}: no assignment yet`];
}
