import type { PartitionHistory } from '../logs/history.ts';

/** Each input: where it is read from here, and where it begins. */
export function inputsOf({ input, inputLogStart = input.logStart, furtherInputs = [] }: PartitionHistory): readonly {
  readonly topic: string;
  readonly logStart: number;
  readonly firstOffset: number;
}[] {
  const { topic, logStart } = input;
  const further = furtherInputs.map(({ log, logStart: first = log.logStart }) => ({
    topic: log.topic,
    logStart: log.logStart,
    firstOffset: first,
  }));
  return [{ topic, logStart, firstOffset: inputLogStart }, ...further];
}
