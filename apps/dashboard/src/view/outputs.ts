// Outputs of a key as they are pushed: server-sent events, read by fetch, since an EventSource can show no token.
import { lineReader } from '../model/lines.ts';
import type { Output } from '../model/timeline.ts';
import { ask } from './ask.ts';

/** Until `signal`, or until the processor ends it: what is shown then stays. */
export async function hearOutputs(url: string, signal: AbortSignal, tell: (output: Output) => void): Promise<void> {
  try {
    const { ok, body } = await ask(url, { signal });
    if (!ok || body === null) return;
    let event = '';
    const take = lineReader((line) => {
      if (line.startsWith('event: ')) event = line.slice(7);
      if (event === 'output' && line.startsWith('data: ')) tell(JSON.parse(line.slice(6)) as Output);
    });
    const pieces = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) take(piece.value);
  } catch {
    // The look-up beside it says whether the processor can be reached.
  }
}
