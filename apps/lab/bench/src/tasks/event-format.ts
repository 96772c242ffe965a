/** `bare`: no value, the session's key says it all; the others: what the SDK sends for a numbered heartbeat. */
export const EVENT_FORMATS = ['bare', 'json', 'avro'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];
