// Outputs of a key, those before one looks and those that are pushed: server-sent events, read by fetch, since an EventSource can
// show no token.
import { lineReader } from '../model/lines.ts';
import { placesToBegin } from '../model/places-to-begin.ts';
import type { Output } from '../model/timeline.ts';
import { ask } from './ask.ts';

interface PushEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Until `signal`, or until the processor ends it: what is shown then stays. */
export async function hearOutputs(url: string, signal: AbortSignal, tell: (output: Output) => void): Promise<void> {
  const hears = ({ event, data }: PushEvent): boolean => {
    if (event === 'output') tell(JSON.parse(data) as Output);
    return event !== 'gap';
  };
  try {
    let snapshot = '';
    await hear(url, signal, ({ id, event }) => {
      if (event === 'snapshot') snapshot = id;
      return event !== 'snapshot';
    });
    for (const place of placesToBegin(snapshot)) if (await hear(`${url}&cursor=${place}`, signal, hears)) return;
    await hear(url, signal, hears);
  } catch {
    // The look-up beside it says whether the processor can be reached.
  }
}

/** Hears until it is told enough by false, and says whether the processor ended it before. @throws where it cannot be reached */
async function hear(url: string, signal: AbortSignal, hears: (event: PushEvent) => boolean): Promise<boolean> {
  const { ok, body } = await ask(url, { signal });
  if (!ok || body === null) return true;
  const pieces = body.pipeThrough(new TextDecoderStream()).getReader();
  let [id, event, isEnough] = ['', '', false];
  const take = lineReader((line) => {
    if (line.startsWith('id: ')) id = line.slice(4);
    if (line.startsWith('event: ')) event = line.slice(7);
    if (!line.startsWith('data: ') || isEnough) return;
    isEnough = !hears({ id, event, data: line.slice(6) });
  });
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    take(piece.value);
    if (!isEnough) continue;
    await pieces.cancel();
    return false;
  }
  return true;
}
