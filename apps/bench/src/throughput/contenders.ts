export type ContenderName = 'flatline' | 'kafkajs' | 'reader';

export interface ContenderDescription {
  readonly name: ContenderName;
  /** What it does, for the report. */
  readonly does: string;
}

/** The first is what is measured; the others are what it is measured against. */
export const CONTENDERS: readonly ContenderDescription[] = [
  { name: 'flatline', does: 'processor: exactly once, changelog, local store, timers' },
  { name: 'kafkajs', does: "kafkajs 2.2.4's consumer, merely reading" },
  { name: 'reader', does: "Flatline's reader, merely walking the records" },
];
