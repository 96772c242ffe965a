const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The record's value, or what is wrong with it. Whether its fields are right the pipeline says, in its dead letters. */
export function eventOf(body: Uint8Array): Uint8Array | string {
  if (body.length === 0) return body;
  try {
    const event: unknown = JSON.parse(utf8.decode(body));
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return body;
  } catch {
    // Said below.
  }
  return 'the body is neither empty (a heartbeat) nor a JSON object (an event)';
}
