import { Writable } from 'node:stream';
import type { OutputStream } from './console.ts';

/** Lines of one worker among those of others: each whole line with its number. It is no terminal, so nothing is redrawn. */
export function numberedStream(stream: OutputStream, worker: number): OutputStream {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const lines = chunk.toString().split('\n');
      const last = lines.pop()!;
      const numbered = [...lines.map((line) => `[${worker}] ${line}\n`), last === '' ? '' : `[${worker}] ${last}`];
      stream.write(numbered.join(''));
      done();
    },
  });
}
