/** A topic as it is. */
export interface ExistingTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly settings: ReadonlyMap<string, string>;
}
