// The memory of subscribers to a pipeline, and how long many take to come back at once: connections to one processor, which hear a key
// each, or everything. `--sessions`: how many they are.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { withApplication } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { PUSH_PAGE, type PushMeasured, pushRows } from './push-page.ts';
import { Subscriptions } from './subscriptions.ts';

const DEFAULTS = { sessions: 10_000, partitions: 4 };
/** Every connection has been told once that it lives. */
const SETTLED_MS: DurationMs = 20_000;

type PushGround = Ground<typeof DEFAULTS>;

export const push = framed({
  name: 'push',
  description:
    'memory of a subscriber to what becomes of keys, and how many come back at once (--sessions: subscribers)',
  settings: (options) => over(DEFAULTS, options),
  measure: async (ground: PushGround): Promise<{ readonly turns: readonly PushMeasured[] }> => {
    const turns: PushMeasured[] = [];
    for (const heard of ['a key each', 'all'] as const) turns.push(await measurePush(ground, heard));
    return { turns };
  },
  report: ({ turns }) => ({ rows: pushRows(turns), page: PUSH_PAGE }),
});

/** @throws Error if the processor fails, or ends a subscription */
async function measurePush(ground: PushGround, heard: PushMeasured['heard']): Promise<PushMeasured> {
  const { sessions: subscribers, onProgress } = ground;
  return withApplication(ground, async (application) => {
    onProgress(`${subscribers.toLocaleString('en')} subscribers that hear ${heard}`);
    const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, isKeyed: true });
    const query = (number: number): string => (heard === 'all' ? '' : `?key=subscriber-${number}`);
    const subscriptions = new Subscriptions(await instance.address(), query);
    try {
      const half = Math.ceil(subscribers / 2);
      await subscriptions.add(half);
      await delay(SETTLED_MS);
      const atHalf = await instance.look();
      const { elapsedMs: letInMs, refused } = await subscriptions.add(subscribers - half);
      await Promise.race([delay(SETTLED_MS), subscriptions.ended]);
      return { heard, subscribers, half: atHalf, all: await instance.look(), letInMs, refused };
    } finally {
      subscriptions.close();
      await instance.kill();
    }
  });
}
