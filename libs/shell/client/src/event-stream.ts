// Server-sent events out of the bytes of an answer (WHATWG HTML, 9.2.5).

export interface StreamedEvent {
  /** Default: `message`. */
  readonly name: string;
  /** undefined: the block has none, and says only where the reader is, or that the connection lives. */
  readonly data: string | undefined;
  /** The last one up to here. */
  readonly id: string | undefined;
}

/** Longest line: a longer one is an error. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;

/** One per block, empty ones included. @throws what the stream throws; Error for a line that does not end */
export async function* eventsIn(stream: AsyncIterable<Uint8Array>, id?: string): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let block: { name: string; data: string[] } = { name: 'message', data: [] };
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    if (rest.length > LINE_LENGTH_MAX) throw new Error('a line of the event stream does not end');
    for (const line of lines) {
      if (line === '') {
        yield { name: block.name, data: block.data.length === 0 ? undefined : block.data.join('\n'), id };
        block = { name: 'message', data: [] };
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === 'data') block.data.push(value);
      else if (field === 'event') block.name = value;
      else if (field === 'id') id = value;
    }
  }
}
