// The dispatcher: takes a user's message into the log, and answers with who the user is by then and through which gateway he is there.
//
// Owns: the writer, when it asks: questions of one beat go together, so that those who wait for what cannot be said now do not add up
//   to more of them.
// Does not own: anything of a user. Whatever it answers is the directory's.
import type { DurationMs } from '@flatline/base';
import { type Directory, directory, type DirectoryEntry } from '@flatline/client';
import { AcknowledgedWriter, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../tasks/application.ts';

export interface DispatcherPlace {
  readonly connection: KafkaConnection;
  readonly topic: string;
  readonly urls: readonly string[];
}

export interface Reply {
  readonly entry: DirectoryEntry;
  /** As of all that was in the log before the question; else a standby's, or what the owner had read. */
  readonly isProven: boolean;
}

/** After so long without the owner's word a standby's will do, which says how old it is. */
const MARKED_AFTER_MS: DurationMs = 300;
const BEAT_MS: DurationMs = 10;
/** From one question to the next for the same user, the first time; then twice as long, up to that. */
const AGAIN_MS: DurationMs = 100;
const AGAIN_MAX_MS: DurationMs = 1_000;

export class DispatcherAtWork {
  readonly directory: Directory;
  readonly #writer: AcknowledgedWriter;
  /** Resolves when what was asked meanwhile is asked together. */
  #beat: Promise<void> | undefined;

  private constructor({ urls }: DispatcherPlace, writer: AcknowledgedWriter) {
    this.directory = directory({ urls, pipeline: PIPELINE });
    this.#writer = writer;
  }

  static async open(place: DispatcherPlace): Promise<DispatcherAtWork> {
    const { connection, topic } = place;
    const writer = await AcknowledgedWriter.open({ clock: systemClock, connection, topic, lingerMs: 1 });
    return new DispatcherAtWork(place, writer);
  }

  /** Resolves once the message is in the log. @throws where it is not known to be */
  async write(key: Uint8Array, value: Uint8Array): Promise<void> {
    await this.#writer.write({ key, value });
  }

  /** undefined: there was no answer until `signal` was aborted. */
  async answer(key: Uint8Array, signal: AbortSignal): Promise<Reply | undefined> {
    for (let againMs = AGAIN_MS; !signal.aborted; againMs = Math.min(2 * againMs, AGAIN_MAX_MS)) {
      let reply: Reply | undefined;
      const proven = this.#ask(key, 'now').then((got) => (reply = got));
      const marked = async (): Promise<Reply> => {
        await Promise.race([delay(MARKED_AFTER_MS), proven]).catch(() => undefined);
        return reply ?? this.#ask(key, undefined);
      };
      const first = await Promise.any([proven, marked()]).catch(() => undefined);
      if (first !== undefined) return first;
      await delay(againMs);
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  /** @throws where it cannot be said now */
  async #ask(key: Uint8Array, proof: 'now' | undefined): Promise<Reply> {
    await (this.#beat ??= this.#nextBeat());
    const entry = await this.directory.get(key, proof === undefined ? {} : { proof });
    if (!isSaid(entry)) throw new Error(entry.state);
    return { entry, isProven: proof === 'now' };
  }

  async #nextBeat(): Promise<void> {
    await delay(BEAT_MS);
    this.#beat = undefined;
  }
}

/** False where it cannot be said now. */
export function isSaid({ state }: DirectoryEntry): boolean {
  return state === 'live' || state === 'none';
}
