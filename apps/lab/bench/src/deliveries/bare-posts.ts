// The least that a delivery may cost in this language: a loop that posts the same bodies with undici, and does nothing else.
import { Agent } from 'undici';
import { summaryOf } from '../summaries.ts';
import { ServiceMeter } from '../tasks/service-task.ts';
import type { BarePostsTask, PostsCost } from './posts-task.ts';

/** Bodies are made before they are posted, and used again. */
const BODIES = 1_000;

export async function postBare({ url, requests, warmUpRequests, atOnce }: BarePostsTask): Promise<PostsCost> {
  const agent = new Agent({ connections: atOnce, pipelining: 1 });
  const { origin, pathname } = new URL(url);
  const bodies = Array.from({ length: BODIES }, (_, i) => bodyOf(i));
  const headers = { 'content-type': 'application/json' };
  const post = async (index: number): Promise<void> => {
    const body = bodies[index % BODIES]!;
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`a request was answered with ${answer.statusCode}`);
  };
  const postAll = async (count: number): Promise<void> => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) await post(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
  const meter = new ServiceMeter();
  await postAll(warmUpRequests);
  meter.start();
  await postAll(requests - warmUpRequests);
  const { elapsedMs, cpuMs } = meter.cost(requests - warmUpRequests);
  await agent.close();
  return { posts: requests - warmUpRequests, elapsedMs, cpuMs };
}

/** As the notifier sends a summary. */
function bodyOf(index: number): Buffer {
  const data = JSON.stringify(summaryOf(index, 0));
  return Buffer.from(`{"type":"session.closed","timestamp":"2026-11-30T00:53:20.000Z","data":${data}}`);
}
