// Sessions that beat by themselves, over one producer and one wheel.
//
// Owns: which sessions live, when each beats, what is dropped during an outage.
// Does not own: sending and retrying (the producer), names and numbers of sources (SenderSources), the pipeline's timeout, which it
//   is given.
//
// Invariants
//   BT1  Between two signs of life of a live session lies at most half of its timeout, if this process gets to run and
//        the broker takes what it sends: a beat is due within a third, and left out where something was said half of that ago.
//   BT2  Records waiting for their acknowledgement ≤ `bufferRecordsMax`, and beats alone never fill more than half of that.
//   BT3  Events of a session are numbered without gaps in the order of the calls; what is dropped keeps its number, so that the
//        summary counts it as missing (S6). Only a STARTED that was taken begins again from 0.
import { type Cancel, type Clock, copyBytes, type DurationMs, Retriable } from '@flatline/base';
import { STARTED } from '@flatline/ports/formats';
import type { OutgoingEvent } from '@flatline/records/events';
import { withinDeadline } from '@flatline/system';
import { BeatWheel, SLOTS } from './beat-wheel.ts';
import { checkCall, checkEvent, checkSessionId, checkStart } from './known-options.ts';
import type { HeartbeatProducer, Said, SessionId } from './heartbeat-producer.ts';
import { SenderSources } from './sender-sources.ts';

/**
 * An event of a session, which numbers it and names its own source, unless the event has a `sequence` or a `source`: then both
 * go as they are, for events that a device has numbered.
 */
export type SessionEventInput = OutgoingEvent;

export interface SessionOptions {
  /**
   * Name of this sender of the session, 1 to 40 bytes in UTF-8: session objects of one id and name count together, so that
   * they are one source (S5). The name is made unique for each process. Default: each session object is a source of its own.
   */
  readonly source?: string;
}

/** Each call returns true if its record was taken; `onDropped` and `dropped` tell of the others. */
export interface Session {
  readonly id: SessionId;
  /** Source that its events are numbered under, at the processor (S5): the name, if any, made unique. */
  readonly source: string;
  /** Says so to the processor, and beats from now on. An event of the type STARTED: numbering begins again. */
  start(event?: Omit<SessionEventInput, 'type'>): boolean;
  /** A sign of life besides those that come by themselves. */
  beat(): boolean;
  /** A sign of life that says something. Throws for an event that no processor would take, or that is too large for the topic. */
  event(event: SessionEventInput): boolean;
  /** The session ends here; it beats no more. */
  end(): boolean;
  /** Beats no more: the session ends by its timeout. */
  leave(): void;
}

export interface Dropped {
  readonly beats: number;
  readonly events: number;
  readonly ends: number;
}

export interface SessionsLimits {
  /** The pipeline's, in milliseconds: a session beats each third of it, up to a fifth earlier. */
  readonly timeoutMs: DurationMs;
  /**
   * Records that may wait for the broker. Default 100 000. Beats are dropped from half of it on, since the next one says as
   * much; events and ends when it is full.
   */
  readonly bufferRecordsMax?: number;
  /** Told of each record that is dropped. Default: none; they are counted in `dropped`. */
  readonly onDropped?: (kind: keyof Dropped, id: SessionId) => void;
  /** Told once of what ended the producer, for example missing rights: every call fails from then on. Default: none. */
  readonly onFailure?: (error: Error) => void;
}

export interface LiveSessionsParts extends SessionsLimits {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly producer: Pick<HeartbeatProducer, 'send' | 'flush' | 'close' | 'waitingCount'>;
}

const BEATS_PER_TIMEOUT = 3;
const JITTER = 0.2;
const BUFFER_RECORDS_MAX = 100_000;

interface Life {
  readonly session: Session;
  readonly key: Uint8Array;
  /** When it last sent something. */
  saidAtMs: DurationMs;
}

export class LiveSessions {
  readonly #parts: LiveSessionsParts;
  readonly #everyMs: DurationMs;
  readonly #bufferRecordsMax: number;
  readonly #wheel = new BeatWheel<Life>();
  readonly #sources: SenderSources;
  readonly #dropped = { beats: 0, events: 0, ends: 0 };
  /** The producer's bytes are full, too. */
  #full = false;
  #timer: Cancel | undefined;
  #turnedAtMs: DurationMs = 0;
  #failure: Error | undefined;
  #closed = false;

  constructor(parts: LiveSessionsParts) {
    if (!(parts.timeoutMs >= 1))
      throw new Error(`timeoutMs is ${parts.timeoutMs}: give the pipeline's, in milliseconds`);
    this.#parts = parts;
    this.#sources = new SenderSources(parts.random);
    this.#everyMs = parts.timeoutMs / BEATS_PER_TIMEOUT;
    this.#bufferRecordsMax = parts.bufferRecordsMax ?? BUFFER_RECORDS_MAX;
  }

  /** Number of sessions that beat. */
  get liveCount(): number {
    return this.#wheel.size;
  }

  /** So far. */
  get dropped(): Dropped {
    return { ...this.#dropped };
  }

  session(id: SessionId, options: SessionOptions = {}): Session {
    checkSessionId('session', id);
    checkCall('session', options);
    const { source: name } = options;
    const numbers = name === undefined ? this.#sources.unnamed() : this.#sources.named(id, name);
    const { source } = numbers;
    const session: Session = {
      id,
      source,
      start: (event = {}) => {
        checkStart(event);
        const taken = say({ ...event, type: STARTED }, true);
        this.#arm(life);
        return taken;
      },
      beat: () => this.#send('beats', life, 'beat'),
      event: (event) => {
        checkEvent(event);
        return say(event, false);
      },
      end: () => {
        session.leave();
        return this.#send('ends', life, 'end');
      },
      leave: () => {
        this.#wheel.remove(life);
      },
    };
    // Bytes of one pool, or a copy: the caller may reuse its own.
    const key = typeof id === 'string' ? Buffer.from(id) : copyBytes(id, 0, id.length);
    const life: Life = { session, key, saidAtMs: Number.NEGATIVE_INFINITY };
    const say = (event: SessionEventInput, isStart: boolean): boolean => {
      if (isNumbered(event)) return this.#send('events', life, event);
      const sequence = isStart ? 0 : numbers.next;
      const taken = this.#send('events', life, { ...event, sequence, source });
      numbers.next = (taken ? sequence : numbers.next) + 1;
      return taken;
    };
    return session;
  }

  flush(): Promise<void> {
    return this.#parts.producer.flush();
  }

  /** Nothing beats any more; resolves when all records are in the log. @throws Retriable if that takes longer than `limitMs`. */
  async close(limitMs: DurationMs): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    this.#timer = undefined;
    const { clock, producer } = this.#parts;
    await withinDeadline(clock, limitMs, producer.close(), () => {
      return new Retriable(`${producer.waitingCount} records of sessions were not acknowledged within ${limitMs} ms`);
    });
  }

  #send(kind: keyof Dropped, life: Life, said: Said): boolean {
    this.#check();
    const most = kind === 'beats' ? this.#bufferRecordsMax / 2 : this.#bufferRecordsMax;
    if (this.#full || this.#parts.producer.waitingCount >= most) {
      this.#dropped[kind] += 1;
      this.#parts.onDropped?.(kind, life.session.id);
      return false;
    }
    const room = this.#parts.producer.send(life.key, said);
    life.saidAtMs = this.#parts.clock.monotonicMs();
    if (room !== undefined) this.#awaitRoom(room);
    return true;
  }

  #awaitRoom(room: Promise<void>): void {
    this.#full = true;
    room.then(
      () => {
        this.#full = false;
      },
      (error: unknown) => {
        this.#fail(error);
      },
    );
  }

  /** Places a first beat anywhere in the turn, so that sessions that began together do not beat together. */
  #arm(life: Life): void {
    this.#wheel.add(life, 1 + Math.floor(this.#parts.random() * (SLOTS - 1)));
    if (this.#timer !== undefined) return;
    this.#turnedAtMs = this.#parts.clock.monotonicMs();
    this.#rest();
  }

  #rest(): void {
    this.#timer = this.#parts.clock.after(this.#everyMs / SLOTS, () => {
      this.#timer = undefined;
      this.#turn();
    });
  }

  /** Slots whose time has passed; after a long stop of the process each comes once. */
  #turn(): void {
    const slotMs = this.#everyMs / SLOTS;
    const now = this.#parts.clock.monotonicMs();
    const passed = Math.floor((now - this.#turnedAtMs) / slotMs);
    this.#turnedAtMs = passed > SLOTS ? now : this.#turnedAtMs + passed * slotMs;
    for (let slot = 0; slot < Math.min(passed, SLOTS); slot += 1)
      for (const life of this.#wheel.turn()) this.#due(life, now);
    if (this.#wheel.size > 0 && this.#failure === undefined) this.#rest();
  }

  #due(life: Life, now: DurationMs): void {
    this.#wheel.add(life, Math.floor(SLOTS * (1 - JITTER * this.#parts.random())));
    if (this.#failure !== undefined || now - life.saidAtMs < this.#everyMs / 2) return;
    try {
      life.session.beat();
    } catch (error) {
      this.#fail(error);
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw new Error('these sessions are closed: open others');
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#timer?.();
    this.#timer = undefined;
    this.#parts.onFailure?.(this.#failure);
  }
}

/** True if the event brings a sequence number or source of its own. */
function isNumbered({ sequence, source }: SessionEventInput): boolean {
  return sequence !== undefined || source !== undefined;
}
