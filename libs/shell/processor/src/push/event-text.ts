// Server-sent events as bytes (WHATWG HTML, 9.2).

/** `data`: one line. With an id whoever reads it goes on behind it. */
export function eventBytes(name: string, data: string, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`);
}

/** Says nothing, but that the connection lives, and where the reader is. */
export function keepAliveBytes(id: string | undefined): Buffer {
  return Buffer.from(id === undefined ? ':\n\n' : `id: ${id}\n\n`);
}
