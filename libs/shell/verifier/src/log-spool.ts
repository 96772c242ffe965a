// A log copied to a file, as its bytes lie there: whoever truncates it takes nothing from the reading, however long that takes, and
// it may be read more than once.
//
// Owns: the file.
// Does not own: where the log was cut, what the bytes say (the oracle).
import { Misconfigured } from '@flatline/base';
import type { LogSource } from '@flatline/oracle';
import type { TopicPartition } from '@flatline/ports';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type LogCut, readStretch, sourceOf, type Stretch } from './log-cut.ts';
import type { LogScan } from './stoppable-scan.ts';
import type { RecordReader } from '@flatline/kind-modules';

/** A stretch, and where its bytes are in the file. */
interface Place extends Omit<Stretch, 'bytes'> {
  readonly at: number;
  readonly length: number;
}

export interface Spooling {
  readonly scan: LogScan;
  /** Bytes that were copied. */
  readonly onCopied: (bytes: number) => void;
}

export class LogSpool {
  readonly #cut: LogCut;
  readonly #file: FileHandle;
  /** By the offset from which each was read. One for some megabytes. */
  readonly #places: ReadonlyMap<number, Place>;

  private constructor(cut: LogCut, file: FileHandle, places: ReadonlyMap<number, Place>) {
    this.#cut = cut;
    this.#file = file;
    this.#places = places;
  }

  /** @throws PartitionStopped where the log was truncated above the cut meanwhile; Misconfigured where the disk is full. */
  static async make(cut: LogCut, folder: string, { scan, onCopied }: Spooling): Promise<LogSpool> {
    const { partition, logStart, end } = cut;
    const path = join(folder, `${partition.topic}-${partition.partition}`);
    const file = await open(path, 'wx+');
    // Without a name it goes with the process, however that ends. Windows keeps the name of what is open: its folder goes later.
    if (process.platform !== 'win32') await unlink(path);
    const places = new Map<number, Place>();
    let at = 0;
    try {
      for (let position = logStart; position < end;) {
        const { stretch, nextOffset } = await readStretch(partition, position, scan);
        const { bytes, aborted } = stretch;
        await file.appendFile(bytes);
        places.set(position, { aborted, at, length: bytes.length });
        at += bytes.length;
        position = nextOffset;
        onCopied(bytes.length);
      }
    } catch (error) {
      await file.close();
      throw isDiskFull(error) ? noRoom(folder, partition, error) : error;
    }
    return new LogSpool(cut, file, places);
  }

  /** From the log's start to the cut. */
  source<R>(reader: RecordReader<R>): LogSource<R> {
    return sourceOf(this.#cut, (position) => this.#stretchAt(position), reader);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  async #stretchAt(position: number): Promise<Stretch> {
    const { aborted, at, length } = this.#places.get(position)!;
    const bytes = new Uint8Array(length);
    for (let read = 0; read < length;) read += (await this.#file.read(bytes, read, length - read, at + read)).bytesRead;
    return { bytes, aborted };
  }
}

function isDiskFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOSPC';
}

function noRoom(folder: string, { topic, partition }: TopicPartition, cause: unknown): Misconfigured {
  return new Misconfigured(
    `no room in ${folder} for a copy of ${topic}-${partition}: name a folder with more in the variable TMPDIR`,
    { cause },
  );
}
