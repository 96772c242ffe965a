// Asks another instance of the group over HTTP.
import type { DurationMs } from '@flatline/base';
import type { EntryAnswer } from './entry-answer.ts';
import type { Asking } from './here.ts';
import { keyChunks } from './key-chunks.ts';

/** Names the group of the instance that asks, and says that the answer is not to be looked for elsewhere: one hop at most. */
export const FORWARDED_HEADER = 'flatline-forwarded';

/**
 * An owner that is there answers with its next commit; one that has gone refuses at once. What is to be proved takes a question to
 * the input's leader, too.
 */
const ANSWER_WITHIN_MS: DurationMs = 900;
const PROVED_WITHIN_MS: DurationMs = 2_000;

/** @throws where it does not answer in time, or not with answers */
export async function askInstance(endpoint: string, group: string, asking: Asking): Promise<readonly EntryAnswer[]> {
  const { keys, isNow } = asking;
  const signal = AbortSignal.timeout(isNow ? PROVED_WITHIN_MS : ANSWER_WITHIN_MS);
  const answers: EntryAnswer[] = [];
  for (const chunk of keyChunks(keys))
    answers.push(...(await askOnce(endpoint, group, { ...asking, keys: chunk }, signal)));
  return answers;
}

async function askOnce(
  endpoint: string,
  group: string,
  { pipeline, keys, isNow }: Asking,
  signal: AbortSignal,
): Promise<readonly EntryAnswer[]> {
  const url = `${endpoint}/api/v1/entries/${encodeURIComponent(pipeline)}:lookup`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [FORWARDED_HEADER]: group },
    body: JSON.stringify({
      keys: keys.map((key) => ({ base64: Buffer.from(key).toString('base64') })),
      ...(isNow && { proof: 'now' }),
    }),
    redirect: 'error',
    signal,
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { entries = [] } = (await response.json()) as { readonly entries?: readonly EntryAnswer[] };
  if (entries.length !== keys.length) throw new Error('it answers something else');
  return entries;
}
