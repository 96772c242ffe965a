// How far the commits in a changelog have come, at its start and behind: what a receipt of an erasure goes by (E1).
//
// Owns: where it has read to.
// Does not own: what the blocks say.
import { copyBytes, MalformedBytes, PartitionStopped } from '@flatline/base';
import type { KafkaLogScan } from '@flatline/kafka';
import { decodeBlock } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';

/** A block, as far as it says who stands where. */
export interface BlockInLog {
  readonly offset: number;
  /** Place in the first input: all below is applied. undefined: it is a claim, by which another owner begins. */
  readonly position: number | undefined;
}

export interface ChangelogEnds {
  /** First offset that the leader has: all below is deleted. */
  readonly logStart: number;
  /** Position of the first commit that it has; undefined: none. */
  readonly firstPosition: number | undefined;
  /** Blocks that have come since the last look. */
  readonly news: readonly BlockInLog[];
}

export class ChangelogReader {
  readonly #log: TopicPartition;
  readonly #scan: KafkaLogScan;
  #first: BlockInLog | undefined;
  #readTo = 0;

  constructor(log: TopicPartition, scan: KafkaLogScan) {
    this.#log = log;
    this.#scan = scan;
  }

  /**
   * As of now. Only what has come since the last call is read, and the first commit again where the log begins elsewhere.
   * @throws PartitionStopped where the log holds something else; Retriable where no broker answers.
   */
  async look(): Promise<ChangelogEnds> {
    const { logStartOffset: logStart, lastStableOffset: end } = await this.#scan.bounds(this.#log);
    if (this.#first === undefined || this.#first.offset < logStart) this.#first = await this.#commitFrom(logStart, end);
    const news: BlockInLog[] = [];
    this.#readTo = Math.max(this.#readTo, logStart);
    while (this.#readTo < end) {
      const { blocks, nextOffset } = await this.#read(this.#readTo);
      news.push(...blocks);
      this.#readTo = nextOffset;
    }
    return { logStart, firstPosition: this.#first?.position, news };
  }

  async #commitFrom(start: number, end: number): Promise<BlockInLog | undefined> {
    for (let position = start; position < end;) {
      const { blocks, nextOffset } = await this.#read(position);
      const found = blocks.find((block) => block.position !== undefined);
      if (found !== undefined) return found;
      position = nextOffset;
    }
    return undefined;
  }

  async #read(position: number): Promise<{ readonly blocks: readonly BlockInLog[]; readonly nextOffset: number }> {
    const stretch = await this.#scan
      .read(this.#log, position)
      .catch((error: unknown) => this.#whyUnread(error, position));
    if (typeof stretch === 'number') return { blocks: [], nextOffset: stretch };
    const { cursor, nextOffset } = stretch;
    const blocks: BlockInLog[] = [];
    while (cursor.next()) {
      const { offset, bytes, valueStart, valueLength } = cursor;
      if (offset < position) continue;
      const value = copyBytes(bytes, valueStart, valueStart + Math.max(0, valueLength));
      blocks.push({ offset, position: this.#positionIn(value, offset) });
    }
    return { blocks, nextOffset };
  }

  /** Where the log begins, if its owner has moved that beyond `position` meanwhile (K5). */
  async #whyUnread(error: unknown, position: number): Promise<number> {
    const { logStartOffset } = await this.#scan.bounds(this.#log);
    if (error instanceof PartitionStopped && logStartOffset > position) return logStartOffset;
    throw error;
  }

  #positionIn(bytes: Uint8Array, offset: number): number | undefined {
    try {
      const block = decodeBlock(bytes);
      return block.kind === 'state' ? block.header.inputs[0]!.position : undefined;
    } catch (error) {
      if (!(error instanceof MalformedBytes)) throw error;
      const { topic, partition } = this.#log;
      throw new PartitionStopped(`${topic}-${partition} offset ${offset}: ${error.message}`);
    }
  }
}
