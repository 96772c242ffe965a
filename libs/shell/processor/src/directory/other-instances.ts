// Asks another instance of the group over HTTP.
import type { DurationMs } from '@flatline/base';
import type { EntryAnswer } from './entry-answer.ts';
import type { Asking } from './here.ts';

/** Says that an answer is not to be looked for elsewhere: one hop at most. */
export const FORWARDED_HEADER = 'flatline-forwarded';

/** Twice, for the owner and for a standby, is below a second. What is to be proved takes a question to the input's leader, too. */
const ANSWER_WITHIN_MS: DurationMs = 450;
const PROVED_WITHIN_MS: DurationMs = 2_000;

/** @throws where it does not answer in time, or not with answers */
export async function askInstance(
  endpoint: string,
  { pipeline, keys, isNow }: Asking,
): Promise<readonly EntryAnswer[]> {
  const url = `${endpoint}/api/v1/entries/${encodeURIComponent(pipeline)}:lookup`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [FORWARDED_HEADER]: '1' },
    body: JSON.stringify({
      keys: keys.map((key) => ({ base64: Buffer.from(key).toString('base64') })),
      ...(isNow && { proof: 'now' }),
    }),
    redirect: 'error',
    signal: AbortSignal.timeout(isNow ? PROVED_WITHIN_MS : ANSWER_WITHIN_MS),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { entries = [] } = (await response.json()) as { readonly entries?: readonly EntryAnswer[] };
  if (entries.length !== keys.length) throw new Error('it answers something else');
  return entries;
}
