/** `bare`: no value, only the session's key; the others: the SDK's form of a numbered heartbeat. */
export const EVENT_FORMATS = ['bare', 'json', 'avro'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];
