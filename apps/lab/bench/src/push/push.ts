// The memory of subscribers to a pipeline: connections to one processor, which hear a key each, or everything (`--sessions`: how many
// they are). Beside it: all of them come back at once, and one takes nothing.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { withApplication } from '../frame/application.ts';
import { framed, over } from '../frame/frame.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import type { PushGround } from './push-ground.ts';
import { type PushMeasured, pushPage, type PushResults, pushRows } from './push-page.ts';
import { measureReturning } from './returning.ts';
import { measureStoppedReader } from './stopped-reader.ts';
import { Subscriptions } from './subscriptions.ts';

const DEFAULTS = { sessions: 10_000, partitions: 4 };
/** Every connection has been told once that it lives. */
const SETTLED_MS: DurationMs = 20_000;

export const push = framed({
  name: 'push',
  description:
    'memory of a subscriber to what becomes of keys, many that come back at once, and one that takes nothing (--sessions: subscribers)',
  settings: (options) => over(DEFAULTS, options),
  measure: async (ground: PushGround): Promise<PushResults & { readonly turns: readonly PushMeasured[] }> => {
    const turns: PushMeasured[] = [];
    for (const heard of ['a key each', 'all'] as const) turns.push(await measurePush(ground, heard));
    return { turns, returned: await measureReturning(ground), readers: await measureStoppedReader(ground) };
  },
  report: (results) => ({ rows: pushRows(results.turns), page: pushPage(results) }),
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
