// The one connection over which the processor tells what changes. While the page is hidden there is none, and nothing is computed for it.
import type { Message } from '../model/facts.ts';
import { lineReader } from '../model/lines.ts';
import { ask } from './ask.ts';
import { facts, needsToken, sample, trouble } from './state.ts';

const AGAIN_MS = 1_000;
const LOST = 'the processor cannot be reached; what is shown is old';

let open: AbortController | undefined;

export async function keepWatching(): Promise<never> {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) open?.abort();
  });
  for (;;) {
    if (!document.hidden && !needsToken.value) await watch();
    await new Promise((next) => setTimeout(next, AGAIN_MS));
  }
}

/** Until the connection ends. */
async function watch(): Promise<void> {
  open = new AbortController();
  try {
    const answer = await ask('/api/v1/watch', { signal: open.signal });
    if (!answer.ok || answer.body === null) {
      const { error } = (await answer.json()) as { readonly error?: string };
      trouble.value = error ?? `the processor answers ${answer.status}`;
      return;
    }
    const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let isFirst = true;
    const take = lineReader((line) => {
      if (isFirst) facts.clear();
      isFirst = false;
      facts.take(JSON.parse(line) as Message);
      sample();
      trouble.value = undefined;
    });
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) take(piece.value);
    trouble.value = LOST;
  } catch {
    if (!open.signal.aborted) trouble.value = LOST;
  }
}
